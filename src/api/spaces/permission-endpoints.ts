/** Endpoints for the roles that users and teams have on spaces. */
import { permissionEndpoints } from '../permissions/endpoints.js'
import { spaceTarget } from '../permissions/resolvers.js'

const permissions = permissionEndpoints({
  path: '/v1/spaces/{spaceId}',
  noun: 'space',
  section: 'Space permissions',
  needs: 'space:admin',
  otherSources: 'teams, default levels or collections above',
  target: ({ space }) => spaceTarget(space),
})

export const inviteToSpace = permissions.invite
export const listPermissionsAggregateInSpace = permissions.aggregate
export const listUserPermissionsInSpace = permissions.users
export const updateUserPermissionInSpace = permissions.updateUser
export const removeUserFromSpace = permissions.removeUser
export const listTeamPermissionsInSpace = permissions.teams
export const updateTeamPermissionInSpace = permissions.updateTeam
export const removeTeamFromSpace = permissions.removeTeam
