/** Endpoints of teams: clients create, rename and delete teams, and manage their members. */
import { required } from '../../kernel/defined.js'
import { Type } from '@sinclair/typebox'
import type { App } from '../../domain/context/app.js'
import type { LoadedTeam } from '../../domain/context/loaded.js'
import { listTeamMembers, setTeamMembers } from '../../domain/people/team-members.js'
import { countTeams, createTeam, deleteTeam, listTeams, renameTeam } from '../../domain/people/teams.js'
import {
  CreateTeam,
  pageQuery,
  SetTeamMembers,
  Team,
  TeamList,
  TeamMemberList,
  TeamsQuery,
  UpdateTeam,
} from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentUser } from '../users/present.js'
import { presentTeam } from './present.js'

const section = 'Teams'

const present = async (app: App, team: LoadedTeam) =>
  presentTeam(app, required((await countTeams(app, team.doc.organization, [team]))[0]))

export const listTeamsInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/teams',
  summary: 'List the teams of an organization',
  section,
  needs: 'organization:listTeams',
  repeatable: true,
  query: TeamsQuery,
  returns: TeamList,
  handle: async ({ app, actor, organization, query }) => {
    const page = await listTeams(app, actor, organization, query)
    return { ...page, items: page.items.map((one) => presentTeam(app, one)) }
  },
})

export const createOrganizationTeam = endpoint({
  method: 'PUT',
  path: '/v1/orgs/{organizationId}/teams',
  summary: 'Create a team',
  description:
    'Titles do not have to be unique. If you are not an admin of the organization, you become the owner of the team.',
  section,
  needs: 'organization:ownTeam',
  body: CreateTeam,
  status: 201,
  returns: Team,
  handle: async ({ app, actor, organization, body }) => {
    const team = await createTeam(app, actor, organization, body)
    return created(await present(app, team), `/v1/orgs/${organization.doc.id}/teams/${team.doc.id}`)
  },
})

export const getTeamInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/teams/{teamId}',
  summary: 'Get a team',
  section,
  needs: 'team:view',
  returns: Team,
  handle: ({ app, team }) => present(app, team),
})

export const updateTeamInOrganizationById = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/teams/{teamId}',
  summary: 'Change the title of a team',
  section,
  needs: 'team:admin',
  body: UpdateTeam,
  returns: Team,
  handle: async ({ app, actor, team, body }) => present(app, await renameTeam(app, actor, team, body.title)),
})

export const removeTeamFromOrganizationById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/teams/{teamId}',
  summary: 'Delete a team',
  description: "The team's members stay in the organization; the roles given to the team are removed.",
  section,
  needs: 'team:admin',
  deletes: 'leaf',
  handle: ({ app, actor, team }) => deleteTeam(app, actor, team),
})

export const listTeamMembersInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/teams/{teamId}/members',
  summary: 'List the members of a team',
  section,
  needs: 'team:view',
  repeatable: true,
  query: Type.Object(pageQuery),
  returns: TeamMemberList,
  handle: async ({ app, team, query }) => {
    const page = await listTeamMembers(app, team, query)
    return {
      ...page,
      items: page.items.map(({ role, user }) => ({
        object: 'team-member' as const,
        id: user.id,
        role,
        user: presentUser(app, user),
      })),
    }
  },
})

export const updateMembersInOrganizationTeam = endpoint({
  method: 'PUT',
  path: '/v1/orgs/{organizationId}/teams/{teamId}/members',
  summary: 'Add and remove members of a team, and set their roles in it',
  description: 'All or nothing. Returns 400 if a user in `add` or `memberships` is not a member of the organization.',
  section,
  needs: 'team:admin',
  body: SetTeamMembers,
  handle: ({ app, actor, team, body }) => setTeamMembers(app, actor, team, body),
})
