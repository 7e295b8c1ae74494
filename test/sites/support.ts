import type { TestService } from '../support/service.js'

/** A site with one space, and its first page. */
export interface MadeSite {
  id: string
  base: string
  space: string
  siteSpace: string
  page: string
}

export async function makeSite(here: TestService): Promise<MadeSite> {
  const sites = `/v1/orgs/${here.organization}/sites`
  const { id } = (
    await here.admin.call('post', sites, { title: 'Docs', spaces: 'sample', visibility: 'share-link' }).expect(201)
  ).body
  const [entry] = (await here.admin.call('get', `${sites}/${id}/site-spaces`).expect(200)).body.items
  const { pages } = (await here.admin.call('get', `/v1/spaces/${entry.space.id}/content/pages`).expect(200)).body
  return { id, base: `${sites}/${id}`, space: entry.space.id, siteSpace: entry.id, page: pages[0].id }
}

/** The validation errors by place: `{path: message}`. */
export const faults = (body: { error: { details?: { path: string; message: string }[] } }): Record<string, string> =>
  Object.fromEntries((body.error.details ?? []).map(({ path, message }) => [path, message]))
