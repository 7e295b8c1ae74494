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
import { spaceTarget } from '../permissions/resolvers.js'
import { endpoint } from '../service.js'

const section = 'Space permissions'

export const inviteToSpace = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/permissions',
  summary: 'Give users and teams a role on a space',
  description:
    'Members and teams of the organization, all or none of those named. Who had a role of his own here has this one now; it adds to what he has by default.',
  section,
  needs: 'space:admin',
  body: InviteToContent,
  handle: ({ app, actor, space, body }) => invite(app, actor, spaceTarget(space), body),
})

export const listPermissionsAggregateInSpace = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/permissions/aggregate',
  summary: 'List everybody who has a role on a space, and what it comes from',
  description: 'In the order in which people joined the organization.',
  section,
  needs: 'space:admin',
  query: aggregateQuery,
  returns: listOf(AggregatedContentPermission, { $id: 'AggregatedContentPermissionList' }),
  handle: ({ app, space, query }) => answerAggregate(app, spaceTarget(space), query),
})

export const listUserPermissionsInSpace = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/permissions/users',
  summary: 'List the users who were given a role on a space',
  description: 'By name, on the space itself: not what comes from teams, default levels or collections above. Ordered by display name.',
  section,
  needs: 'space:admin',
  query: Type.Object(pageQuery),
  returns: listOf(UserContentPermission, { $id: 'UserContentPermissionList' }),
  handle: ({ app, space, query }) => answerUserPermissions(app, spaceTarget(space), query),
})

export const updateUserPermissionInSpace = endpoint({
  method: 'PATCH',
  path: '/v1/spaces/{spaceId}/permissions/users/{userId}',
  summary: 'Change the role that a user was given on a space',
  section,
  needs: 'space:admin',
  aliases: { userId: 'permittedUserId' },
  body: UpdateContentPermission,
  handle: ({ app, actor, space, permission, body }) => changeGrant(app, actor, spaceTarget(space), permission, body.role),
})

export const removeUserFromSpace = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}/permissions/users/{userId}',
  summary: 'Take back the role that a user was given on a space',
  description: 'What he has by default level, by a team or from a collection above stays.',
  section,
  needs: 'space:admin',
  deletes: 'leaf',
  aliases: { userId: 'permittedUserId' },
  handle: ({ app, actor, space, permission }) => removeGrant(app, actor, spaceTarget(space), permission),
})

export const listTeamPermissionsInSpace = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/permissions/teams',
  summary: 'List the teams that were given a role on a space',
  description: 'On the space itself. Ordered by title.',
  section,
  needs: 'space:admin',
  query: Type.Object(pageQuery),
  returns: listOf(TeamContentPermission, { $id: 'TeamContentPermissionList' }),
  handle: ({ app, space, query }) => answerTeamPermissions(app, spaceTarget(space), query),
})

export const updateTeamPermissionInSpace = endpoint({
  method: 'PATCH',
  path: '/v1/spaces/{spaceId}/permissions/teams/{teamId}',
  summary: 'Change the role that a team was given on a space',
  section,
  needs: 'space:admin',
  aliases: { teamId: 'permittedTeamId' },
  body: UpdateContentPermission,
  handle: ({ app, actor, space, permission, body }) => changeGrant(app, actor, spaceTarget(space), permission, body.role),
})

export const removeTeamFromSpace = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}/permissions/teams/{teamId}',
  summary: 'Take back the role that a team was given on a space',
  section,
  needs: 'space:admin',
  deletes: 'leaf',
  aliases: { teamId: 'permittedTeamId' },
  handle: ({ app, actor, space, permission }) => removeGrant(app, actor, spaceTarget(space), permission),
})
