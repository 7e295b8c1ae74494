/** The endpoints of roles given by name or to teams, declared once for spaces, collections and sites: each mounts them under its own path. */
import { Type } from '@sinclair/typebox'
import type { Permission } from '../../access/index.js'
import type { PermissionTarget } from '../../domain/roles/access.js'
import { changeGrant, invite, removeGrant } from '../../domain/roles/permissions.js'
import {
  AggregatedContentPermission,
  AggregatedPermissionsQuery,
  InviteToContent,
  listOf,
  pageQuery,
  TeamContentPermission,
  UpdateContentPermission,
  UserContentPermission,
} from '../../model/index.js'
import { endpoint, type Loaded } from '../service.js'
import { presentAggregatePermissions, presentTeamPermissions, presentUserPermissions } from './present.js'

/** What roles are given on. */
interface PermissionMount<Path extends string> {
  /** Path of the resource. */
  path: Path
  /** What summaries call it. */
  noun: 'space' | 'collection' | 'site'
  section: string
  needs: Permission
  /** Where roles on it also come from, besides those given on it. */
  otherSources: string
  target: (loaded: Loaded<Path>) => PermissionTarget
}

type Mount = ReturnType<typeof mountOf>

/** The eight endpoints of a resource. */
export function permissionEndpoints<const Path extends string>(mount: PermissionMount<Path>) {
  const erased = mountOf(mount)
  return { ...wholeEndpoints(erased), ...userEndpoints(erased), ...teamEndpoints(erased) }
}

/** A mount, with the types of its path erased. */
function mountOf<Path extends string>({ path, noun, section, needs, otherSources, target }: PermissionMount<Path>) {
  return {
    path: `${path as string}/permissions` as const,
    noun,
    otherSources,
    common: { section, needs },
    target: (context: object) => target(context as Loaded<Path>),
  }
}

function wholeEndpoints({ path, noun, common, target }: Mount) {
  return {
    invite: endpoint({
      ...common,
      method: 'POST',
      path,
      summary: `Give users and teams a role on a ${noun}`,
      description:
        'They must be members and teams of the organization; either all of them get the role or none. It replaces a role that was given to them here before, and adds to the roles that they have from elsewhere.',
      body: InviteToContent,
      handle: (context) => invite(context.app, context.actor, target(context), context.body),
    }),
    aggregate: endpoint({
      ...common,
      method: 'GET',
      path: `${path}/aggregate`,
      summary: `List everybody who has a role on a ${noun}, and what it comes from`,
      description: 'In the order in which they joined the organization.',
      query: AggregatedPermissionsQuery,
      returns: listOf(AggregatedContentPermission, { $id: 'AggregatedContentPermissionList' }),
      handle: (context) => presentAggregatePermissions(context.app, target(context), context.query),
    }),
  }
}

function userEndpoints({ path, noun, otherSources, common, target }: Mount) {
  const onePath = `${path}/users/{userId}` as const
  const aliases = { userId: 'permittedUserId' } as const
  return {
    users: endpoint({
      ...common,
      method: 'GET',
      path: `${path}/users`,
      summary: `List the users who were given a role on a ${noun}`,
      description: `Only roles given by name on the ${noun} itself, not those from ${otherSources}. Ordered by display name.`,
      query: Type.Object(pageQuery),
      returns: listOf(UserContentPermission, { $id: 'UserContentPermissionList' }),
      handle: (context) => presentUserPermissions(context.app, target(context), context.query),
    }),
    updateUser: endpoint({
      ...common,
      method: 'PATCH',
      path: onePath,
      summary: `Change the role that a user was given on a ${noun}`,
      aliases,
      body: UpdateContentPermission,
      handle: (context) =>
        changeGrant(context.app, context.actor, target(context), context.permission, context.body.role),
    }),
    removeUser: endpoint({
      ...common,
      method: 'DELETE',
      path: onePath,
      summary: `Take back the role that a user was given on a ${noun}`,
      description: `They keep the roles that they have from ${otherSources}.`,
      deletes: 'leaf',
      aliases,
      handle: (context) => removeGrant(context.app, context.actor, target(context), context.permission),
    }),
  }
}

function teamEndpoints({ path, noun, common, target }: Mount) {
  const onePath = `${path}/teams/{teamId}` as const
  const aliases = { teamId: 'permittedTeamId' } as const
  return {
    teams: endpoint({
      ...common,
      method: 'GET',
      path: `${path}/teams`,
      summary: `List the teams that were given a role on a ${noun}`,
      description: `Only roles given on the ${noun} itself. Ordered by title.`,
      query: Type.Object(pageQuery),
      returns: listOf(TeamContentPermission, { $id: 'TeamContentPermissionList' }),
      handle: (context) => presentTeamPermissions(context.app, target(context), context.query),
    }),
    updateTeam: endpoint({
      ...common,
      method: 'PATCH',
      path: onePath,
      summary: `Change the role that a team was given on a ${noun}`,
      aliases,
      body: UpdateContentPermission,
      handle: (context) =>
        changeGrant(context.app, context.actor, target(context), context.permission, context.body.role),
    }),
    removeTeam: endpoint({
      ...common,
      method: 'DELETE',
      path: onePath,
      summary: `Take back the role that a team was given on a ${noun}`,
      description: 'Its members keep the roles that they have from elsewhere.',
      deletes: 'leaf',
      aliases,
      handle: (context) => removeGrant(context.app, context.actor, target(context), context.permission),
    }),
  }
}
