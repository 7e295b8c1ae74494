/** Loads the names of teams, collections, spaces and members by their IDs. */
import { api, body, type Schemas } from '../api/client.js'
import { useData } from '../api/data.js'
import type { Names } from './roles.js'

const MAX = 1_000
const all = (organizationId: string) => ({ params: { path: { organizationId }, query: { limit: MAX } } })

/** The spaces of an organization that the caller may see. */
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

/** The names of teams and collections, for the explanations of roles. */
export function useNames(organization: string): Names {
  const teams = useTeams(organization) ?? []
  const collections = useData(
    `orgs/${organization}/all-collections`,
    async () => (await body(api.GET('/v1/orgs/{organizationId}/collections', all(organization)))).items,
  ).value
  return {
    teams: new Map(teams.map(({ id, title }) => [id, title])),
    collections: new Map((collections ?? []).map(({ id, title }) => [id, title])),
  }
}
