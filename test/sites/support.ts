import { findOrganization } from '../../src/domain/access.js'
import type { Actor } from '../../src/domain/app.js'
import { createSite } from '../../src/domain/sites/sites.js'
import { users } from '../../src/model/index.js'
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
  const { app } = here.service
  const actor: Actor = { user: (await app.store.get(users, here.admin.user))!, token: { id: 'test', readOnly: false } }
  const { doc } = await createSite(app, actor, (await findOrganization(app, actor, here.organization))!, { title: 'Docs', spaces: 'sample' })
  const [entry] = doc.structure.siteSpaces
  const { pages } = (await here.admin.call('get', `/v1/spaces/${entry!.space}/content/pages`).expect(200)).body
  return { id: doc.id, base: `/v1/orgs/${here.organization}/sites/${doc.id}`, space: entry!.space, siteSpace: entry!.id, page: pages[0].id }
}

/** What is wrong, by place: `{path: message}`. */
export const faults = (body: { error: { details?: { path: string; message: string }[] } }): Record<string, string> =>
  Object.fromEntries((body.error.details ?? []).map(({ path, message }) => [path, message]))
