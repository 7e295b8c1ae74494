/** Endpoints for the roles that users and teams have on collections. */
import { permissionEndpoints } from '../permissions/endpoints.js'
import { collectionTarget } from '../permissions/resolvers.js'

const permissions = permissionEndpoints({
  path: '/v1/collections/{collectionId}',
  noun: 'collection',
  section: 'Collection permissions',
  needs: 'collection:admin',
  otherSources: 'teams, default levels or collections above',
  target: ({ collection }) => collectionTarget(collection),
})

export const inviteToCollection = permissions.invite
export const listPermissionsAggregateInCollection = permissions.aggregate
export const listUserPermissionsInCollection = permissions.users
export const updateUserPermissionInCollection = permissions.updateUser
export const removeUserFromCollection = permissions.removeUser
export const listTeamPermissionsInCollection = permissions.teams
export const updateTeamPermissionInCollection = permissions.updateTeam
export const removeTeamFromCollection = permissions.removeTeam
