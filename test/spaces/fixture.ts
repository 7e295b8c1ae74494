import { type TeamDoc, teamMembers, teams } from '../../src/model/index.js'
import { tickingClock } from '../support/hand-clock.js'
import { type Caller, startService, type TestService } from '../support/service.js'

export type Json = Record<string, never> & { [name: string]: unknown }
export type Kind = 'space' | 'collection'

/** Short helpers for the tests of collections. */
export interface Fixture extends TestService {
  /** A new space or collection of the admin. Returns its ID. */
  space(parent?: string | null, more?: object): Promise<string>
  collection(parent?: string | null, more?: object): Promise<string>
  team(people: readonly Caller[]): Promise<string>
  grant(kind: Kind, id: string, role: string, users: readonly Caller[], teams?: readonly string[]): Promise<void>
  get(kind: Kind, id: string): Promise<Json>
  /** IDs of the spaces and collections in a collection (default: the top level), in order. */
  order(parent?: string, organization?: string): Promise<string[]>
  /** The role of the caller, from the flags in the response, or 'none' for a 404. */
  role(who: Caller, kind: Kind, id: string): Promise<string>
}

/** A complete service with its own organization. */
export async function startFixture(): Promise<Fixture> {
  const here = await startService({ overrides: { clock: tickingClock() } })
  const { admin, organization } = here
  const made = async (path: string, body: object): Promise<string> =>
    (await admin.call('post', path, body).expect(201)).body.id
  const withParent = (parent: string | null | undefined, more: object) => (parent ? { ...more, parent } : more)
  const all = async (path: string): Promise<Json[]> =>
    (await admin.call('get', `${path}${path.includes('?') ? '&' : '?'}limit=1000`).expect(200)).body.items
  const more = {
    space: (parent?: string | null, extra: object = {}) =>
      made(`/v1/orgs/${organization}/spaces`, withParent(parent, extra)),
    collection: (parent?: string | null, extra: object = {}) =>
      made(`/v1/orgs/${organization}/collections`, withParent(parent, extra)),
    team: async (people: readonly Caller[]) => {
      const { store } = here.service.app
      const id = `team${(await store.all(teams)).length}`
      await store.insert(teams, { id, organization, title: id, createdAt: new Date().toISOString() } as TeamDoc)
      for (const { user } of people)
        await store.insert(teamMembers, { id: `${id}:${user}`, organization, team: id, user, role: 'member' })
      return id
    },
    grant: async (kind: Kind, id: string, role: string, users: readonly Caller[], groups: readonly string[] = []) => {
      await admin
        .call('post', `/v1/${kind}s/${id}/permissions`, { role, users: users.map(({ user }) => user), teams: groups })
        .expect(204)
    },
    get: async (kind: Kind, id: string) => (await admin.call('get', `/v1/${kind}s/${id}`).expect(200)).body,
    order: async (parent?: string, of = organization) => {
      const spaces = await all(
        parent === undefined ? `/v1/orgs/${of}/spaces?nested=false` : `/v1/collections/${parent}/spaces`,
      )
      const collections = (await all(`/v1/orgs/${of}/collections`)).filter((one) => one.parent === parent)
      const together = [...spaces, ...collections] as unknown as { id: string; position: string }[]
      return together.sort((a, b) => (a.position < b.position ? -1 : 1)).map(({ id }) => id)
    },
    role: async (who: Caller, kind: Kind, id: string) => {
      const { status } = await who.call('get', `/v1/${kind}s/${id}`)
      if (status === 404) return 'none'
      const { items } = (await admin.call('get', `/v1/${kind}s/${id}/permissions/aggregate?limit=1000`).expect(200))
        .body
      return items.find((one: { user: { id: string } }) => one.user.id === who.user)?.permission ?? 'unlisted'
    },
  }
  return Object.assign(Object.create(here), more)
}
