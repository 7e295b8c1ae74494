import type { Caller, TestService } from '../support/service.js'

/** A site that is created through the API, with helpers for tests. */
export interface SiteClient {
  id: string
  base: string
  /** Adds a section with a new space of that title. */
  section(title: string): Promise<Json>
  group(title: string, sections?: readonly string[]): Promise<Json>
  /** Adds a site space with a new space of that title. */
  siteSpace(title: string, sectionId?: string): Promise<Json>
  /** Titles of the structure: `[a b] group(c d)`; the default section and default site spaces with a star. */
  outline(): Promise<string>
}

/** A response body; the service checks it against its schema. */
export type Json = any

/** A new space of the first organization. */
export const makeSpace = async (here: TestService, title: string, more: object = {}): Promise<Json> =>
  (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title, ...more }).expect(201)).body

/** A new site of the first organization. */
export async function newSite(
  here: TestService,
  body: object = { title: 'Docs' },
  caller: Caller = here.admin,
): Promise<SiteClient> {
  const { id } = (await caller.call('post', `/v1/orgs/${here.organization}/sites`, body).expect(201)).body
  const base = `/v1/orgs/${here.organization}/sites/${id}`
  const post = async (path: string, what: object): Promise<Json> =>
    (await here.admin.call('post', `${base}${path}`, what).expect(201)).body
  return {
    id,
    base,
    section: async (title) => post('/sections', { spaceId: (await makeSpace(here, title)).id }),
    group: (title, sections = []) => post('/section-groups', { title, sections }),
    siteSpace: async (title, sectionId) =>
      post('/site-spaces', { spaceId: (await makeSpace(here, title)).id, ...(sectionId ? { sectionId } : {}) }),
    outline: async () => outlineOf((await here.admin.call('get', `${base}/structure`).expect(200)).body),
  }
}

/** Titles of a returned structure, as `outline`. */
export function outlineOf({ structure }: Json): string {
  const spaces = (entries: Json[], chosen?: string): string =>
    entries
      .map((one) => `${one.title}${one.id === chosen || (chosen === undefined && one.default) ? '*' : ''}`)
      .join(' ')
  const section = (one: Json): string =>
    `${one.title}${one.default ? '*' : ''}[${spaces(one.siteSpaces, one.defaultSiteSpace ?? '')}]`
  return structure
    .map((one: Json) => {
      if (one.object === 'site-space') return spaces([one])
      return one.object === 'site-section' ? section(one) : `${one.title}(${one.sections.map(section).join(' ')})`
    })
    .join(' ')
}

/** Events of an organization, oldest first, without what differs from run to run. */
export const titlesOf = (list: Json): string[] => list.items.map((one: Json) => one.title)
