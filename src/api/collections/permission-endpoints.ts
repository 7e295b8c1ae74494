import { Type } from '@sinclair/typebox'
import { changeGrant, invite, removeGrant } from '../../domain/roles/permissions.js'
import {
  AggregatedContentPermission,
  InviteToContent,
  listOf,
  pageQuery,
  TeamContentPermission,
  UpdateContentPermission,
  UserContentPermission,
} from '../../model/index.js'
import { aggregateQuery, answerAggregate, answerTeamPermissions, answerUserPermissions } from '../permissions/lists.js'
import { collectionTarget } from '../permissions/resolvers.js'
import { endpoint } from '../service.js'

const section = 'Collection permissions'

export const inviteToCollection = endpoint({
  method: 'POST',
  path: '/v1/collections/{collectionId}/permissions',
  summary: 'Give users and teams a role on a collection',
  description:
    'Members and teams of the organization, all or none of those named. Who had a role of his own here has this one now; it adds to what he has by default.',
  section,
  needs: 'collection:admin',
  body: InviteToContent,
  handle: ({ app, actor, collection, body }) => invite(app, actor, collectionTarget(collection), body),
})

export const listPermissionsAggregateInCollection = endpoint({
  method: 'GET',
  path: '/v1/collections/{collectionId}/permissions/aggregate',
  summary: 'List everybody who has a role on a collection, and what it comes from',
  description: 'In the order in which people joined the organization.',
  section,
  needs: 'collection:admin',
  query: aggregateQuery,
  returns: listOf(AggregatedContentPermission, { $id: 'AggregatedContentPermissionList' }),
  handle: ({ app, collection, query }) => answerAggregate(app, collectionTarget(collection), query),
})

export const listUserPermissionsInCollection = endpoint({
  method: 'GET',
  path: '/v1/collections/{collectionId}/permissions/users',
  summary: 'List the users who were given a role on a collection',
  description: 'By name, on the collection itself: not what comes from teams, default levels or collections above. Ordered by display name.',
  section,
  needs: 'collection:admin',
  query: Type.Object(pageQuery),
  returns: listOf(UserContentPermission, { $id: 'UserContentPermissionList' }),
  handle: ({ app, collection, query }) => answerUserPermissions(app, collectionTarget(collection), query),
})

export const updateUserPermissionInCollection = endpoint({
  method: 'PATCH',
  path: '/v1/collections/{collectionId}/permissions/users/{userId}',
  summary: 'Change the role that a user was given on a collection',
  section,
  needs: 'collection:admin',
  aliases: { userId: 'permittedUserId' },
  body: UpdateContentPermission,
  handle: ({ app, actor, collection, permission, body }) => changeGrant(app, actor, collectionTarget(collection), permission, body.role),
})

export const removeUserFromCollection = endpoint({
  method: 'DELETE',
  path: '/v1/collections/{collectionId}/permissions/users/{userId}',
  summary: 'Take back the role that a user was given on a collection',
  description: 'What he has by default level, by a team or from a collection above stays.',
  section,
  needs: 'collection:admin',
  deletes: 'leaf',
  aliases: { userId: 'permittedUserId' },
  handle: ({ app, actor, collection, permission }) => removeGrant(app, actor, collectionTarget(collection), permission),
})

export const listTeamPermissionsInCollection = endpoint({
  method: 'GET',
  path: '/v1/collections/{collectionId}/permissions/teams',
  summary: 'List the teams that were given a role on a collection',
  description: 'On the collection itself. Ordered by title.',
  section,
  needs: 'collection:admin',
  query: Type.Object(pageQuery),
  returns: listOf(TeamContentPermission, { $id: 'TeamContentPermissionList' }),
  handle: ({ app, collection, query }) => answerTeamPermissions(app, collectionTarget(collection), query),
})

export const updateTeamPermissionInCollection = endpoint({
  method: 'PATCH',
  path: '/v1/collections/{collectionId}/permissions/teams/{teamId}',
  summary: 'Change the role that a team was given on a collection',
  section,
  needs: 'collection:admin',
  aliases: { teamId: 'permittedTeamId' },
  body: UpdateContentPermission,
  handle: ({ app, actor, collection, permission, body }) => changeGrant(app, actor, collectionTarget(collection), permission, body.role),
})

export const removeTeamFromCollection = endpoint({
  method: 'DELETE',
  path: '/v1/collections/{collectionId}/permissions/teams/{teamId}',
  summary: 'Take back the role that a team was given on a collection',
  section,
  needs: 'collection:admin',
  deletes: 'leaf',
  aliases: { teamId: 'permittedTeamId' },
  handle: ({ app, actor, collection, permission }) => removeGrant(app, actor, collectionTarget(collection), permission),
})
