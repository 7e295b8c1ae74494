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
import { siteTarget } from '../permissions/resolvers.js'
import { endpoint } from '../service.js'

const section = 'Site permissions'

export const inviteToSite = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/permissions',
  summary: 'Give users and teams a role on a site',
  description:
    'Members and teams of the organization, all or none of those named. Who had a role of his own here has this one now; it adds to what he has by default.',
  section,
  needs: 'site:admin',
  body: InviteToContent,
  handle: ({ app, actor, site, body }) => invite(app, actor, siteTarget(site), body),
})

export const listPermissionsAggregateInSite = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/permissions/aggregate',
  summary: 'List everybody who has a role on a site, and what it comes from',
  description: 'In the order in which people joined the organization.',
  section,
  needs: 'site:admin',
  query: aggregateQuery,
  returns: listOf(AggregatedContentPermission, { $id: 'AggregatedContentPermissionList' }),
  handle: ({ app, site, query }) => answerAggregate(app, siteTarget(site), query),
})

export const listUserPermissionsInSite = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/permissions/users',
  summary: 'List the users who were given a role on a site',
  description: 'By name, on the site itself: not what comes from teams, the default level. Ordered by display name.',
  section,
  needs: 'site:admin',
  query: Type.Object(pageQuery),
  returns: listOf(UserContentPermission, { $id: 'UserContentPermissionList' }),
  handle: ({ app, site, query }) => answerUserPermissions(app, siteTarget(site), query),
})

export const updateUserPermissionInSite = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/permissions/users/{userId}',
  summary: 'Change the role that a user was given on a site',
  section,
  needs: 'site:admin',
  aliases: { userId: 'permittedUserId' },
  body: UpdateContentPermission,
  handle: ({ app, actor, site, permission, body }) => changeGrant(app, actor, siteTarget(site), permission, body.role),
})

export const removeUserFromSite = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/permissions/users/{userId}',
  summary: 'Take back the role that a user was given on a site',
  description: 'What he has by default level, or by a team, stays.',
  section,
  needs: 'site:admin',
  deletes: 'leaf',
  aliases: { userId: 'permittedUserId' },
  handle: ({ app, actor, site, permission }) => removeGrant(app, actor, siteTarget(site), permission),
})

export const listTeamPermissionsInSite = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/permissions/teams',
  summary: 'List the teams that were given a role on a site',
  description: 'On the site itself. Ordered by title.',
  section,
  needs: 'site:admin',
  query: Type.Object(pageQuery),
  returns: listOf(TeamContentPermission, { $id: 'TeamContentPermissionList' }),
  handle: ({ app, site, query }) => answerTeamPermissions(app, siteTarget(site), query),
})

export const updateTeamPermissionInSite = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/permissions/teams/{teamId}',
  summary: 'Change the role that a team was given on a site',
  section,
  needs: 'site:admin',
  aliases: { teamId: 'permittedTeamId' },
  body: UpdateContentPermission,
  handle: ({ app, actor, site, permission, body }) => changeGrant(app, actor, siteTarget(site), permission, body.role),
})

export const removeTeamFromSite = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/permissions/teams/{teamId}',
  summary: 'Take back the role that a team was given on a site',
  section,
  needs: 'site:admin',
  deletes: 'leaf',
  aliases: { teamId: 'permittedTeamId' },
  handle: ({ app, actor, site, permission }) => removeGrant(app, actor, siteTarget(site), permission),
})
