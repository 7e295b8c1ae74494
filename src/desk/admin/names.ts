/** Names of what IDs stand for: teams, collections, spaces, members. */
import { api, body, type Schemas } from '../api/client.js'
import { useData } from '../api/data.js'
import type { Names } from './roles.js'

const MAX = 1_000
const all = (organizationId: string) => ({ params: { path: { organizationId }, query: { limit: MAX } } })

/** The spaces of an organization that the caller sees. */
export const useSpaces = (organization: string | null): readonly Schemas['Space'][] | undefined =>
  useData(
    organization === null ? null : `orgs/${organization}/all-spaces`,
    async () => (await body(api.GET('/v1/orgs/{organizationId}/spaces', all(organization ?? '')))).items,
  ).value

/** The teams of an organization. */
export const useTeams = (organization: string): readonly Schemas['Team'][] | undefined =>
  useData(
    `orgs/${organization}/all-teams`,
    async () => (await body(api.GET('/v1/orgs/{organizationId}/teams', all(organization)))).items,
  ).value

/** The members of an organization, the first thousand. */
export const useMembers = (organization: string | null): readonly Schemas['Member'][] | undefined =>
  useData(
    organization === null ? null : `orgs/${organization}/all-members`,
    async () => (await body(api.GET('/v1/orgs/{organizationId}/members', all(organization ?? '')))).items,
  ).value

/** The collections of an organization, those above before those within them. */
export const useCollections = (organization: string): readonly Schemas['Collection'][] | undefined =>
  useData(
    `orgs/${organization}/all-collections`,
    async () => (await body(api.GET('/v1/orgs/{organizationId}/collections', all(organization)))).items,
  ).value

/** The title of a collection after those of the collections above it. */
export function collectionPath(
  collection: Schemas['Collection'],
  collections: readonly Schemas['Collection'][],
): string {
  const above = collections.find(({ id }) => id === collection.parent)
  return above ? `${collectionPath(above, collections)} › ${collection.title}` : collection.title
}

/** The names of teams and collections, for the reasons of roles. */
export function useNames(organization: string): Names {
  const teams = useTeams(organization) ?? []
  const collections = useCollections(organization)
  return {
    teams: new Map(teams.map(({ id, title }) => [id, title])),
    collections: new Map((collections ?? []).map(({ id, title }) => [id, title])),
  }
}
