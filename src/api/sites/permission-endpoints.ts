/** Endpoints for the roles that users and teams have on sites. */
import { permissionEndpoints } from '../permissions/endpoints.js'
import { siteTarget } from '../permissions/resolvers.js'

const permissions = permissionEndpoints({
  path: '/v1/orgs/{organizationId}/sites/{siteId}',
  noun: 'site',
  section: 'Site permissions',
  needs: 'site:admin',
  otherSources: 'teams or the default level',
  target: ({ site }) => siteTarget(site),
})

export const inviteToSite = permissions.invite
export const listPermissionsAggregateInSite = permissions.aggregate
export const listUserPermissionsInSite = permissions.users
export const updateUserPermissionInSite = permissions.updateUser
export const removeUserFromSite = permissions.removeUser
export const listTeamPermissionsInSite = permissions.teams
export const updateTeamPermissionInSite = permissions.updateTeam
export const removeTeamFromSite = permissions.removeTeam
