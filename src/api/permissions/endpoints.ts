/**
 * Declares the endpoints of user and team roles once. Spaces, collections and sites mount them under their own paths.
 */
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
import { endpoint, type Loaded, loadedBelow } from '../service.js'
import { presentAggregatePermissions, presentTeamPermissions, presentUserPermissions } from './present.js'

/** The resource that the roles apply to. */
interface PermissionMount<Path extends string> {
  /** Path of the resource. */
  path: Path
  /** The noun in summaries. */
  noun: 'space' | 'collection' | 'site'
  section: string
  needs: Permission
  /** The sources of roles on the resource besides those given on it. */
  otherSources: string
  target: (loaded: Loaded<Path>) => PermissionTarget
}

type Mount = ReturnType<typeof mountOf>

/** Declares the eight endpoints of a resource. */
export function permissionEndpoints<const Path extends string>(mount: PermissionMount<Path>) {
  const erased = mountOf(mount)
  return { ...wholeEndpoints(erased), ...userEndpoints(erased), ...teamEndpoints(erased) }
}

/** Returns a mount without the types of its path. */
function mountOf<Path extends string>({ path, noun, section, needs, otherSources, target }: PermissionMount<Path>) {
  return {
    path: `${path}/permissions` as const,
    noun,
    otherSources,
    common: { section, needs },
    target: (context: object) => target(loadedBelow(context)),
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
        'The users and teams must be members and teams of the organization. Either all of them get the role or none. It replaces a role that they were given on ' +
        'this resource, and adds to their roles from elsewhere.',
      body: InviteToContent,
      handle: (context) => invite(context.app, context.actor, target(context), context.body),
    }),
    aggregate: endpoint({
      ...common,
      method: 'GET',
      repeatable: true,
      path: `${path}/aggregate`,
      summary: `List all members with a role on a ${noun}, with its sources`,
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
      repeatable: true,
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
      summary: `Remove the role that a user was given on a ${noun}`,
      description: `The user keeps roles from ${otherSources}.`,
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
      repeatable: true,
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
      summary: `Remove the role that a team was given on a ${noun}`,
      description: 'Members of the team keep their roles from elsewhere.',
      deletes: 'leaf',
      aliases,
      handle: (context) => removeGrant(context.app, context.actor, target(context), context.permission),
    }),
  }
}
