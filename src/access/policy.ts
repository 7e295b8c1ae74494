// The table of permissions, from which both the checks and the `permissions` of responses are made.
import type { Role } from '../model/common.js'
import { collectionPermissions, organizationPermissions, spacePermissions, teamPermissions } from '../model/index.js'
import { atLeast, rank } from './roles.js'

/**
 * The policy: the least role that each permission needs. Requests are refused by it, and the `permissions` of responses are
 * filled from it, so the two cannot differ. `guest` = any member of the organization, whatever their role.
 */
export const policy = {
  'organization:view': 'guest',
  'organization:admin': 'admin',
  'organization:ownTeam': 'create',
  'organization:createContent': 'create',
  'organization:createOpenAPISpec': 'create',
  'organization:ingestConversations': 'admin',
  'organization:viewBilling': 'admin',
  'organization:listMembers': 'read',
  'organization:listTeams': 'read',
  'organization:listIntegrations': 'read',
  'organization:listInstallations': 'read',
  'organization:installIntegration': 'admin',
  'translation:view': 'read',
  'translation:edit': 'create',
  'member:view': 'read',
  'team:view': 'read',
  'team:admin': 'admin',
  'collection:view': 'read',
  'collection:create': 'create',
  'collection:admin': 'admin',
  'collection:viewInviteLinks': 'admin',
  'site:view': 'read',
  'site:create': 'create',
  'site:admin': 'admin',
  'space:view': 'read',
  'space:access': 'read',
  'space:comment': 'comment',
  'space:edit': 'edit',
  'space:review': 'review',
  'space:merge': 'review',
  'space:triggerGitSync': 'review',
  'space:create': 'create',
  'space:admin': 'admin',
  'space:viewInviteLinks': 'admin',
  'space:installIntegration': 'admin',
} as const satisfies Record<string, Role | 'guest'>

export type Permission = keyof typeof policy

/** Whether a role (null = guest, undefined = not a member) is enough for a permission. */
export function allows(permission: Permission, role: Role | null | undefined): boolean {
  if (role === undefined) return false
  const least = policy[permission]
  return least === 'guest' ? rank(role) >= -1 : atLeast(role, least)
}

const flags = <K extends string>(scope: string, keys: readonly K[], role: Role | null | undefined): Record<K, boolean> =>
  Object.fromEntries(keys.map((key) => [key, allows(`${scope}:${key}` as Permission, role)])) as Record<K, boolean>

/** The `permissions` object of an organization for somebody with this role. */
export const presentOrganizationPermissions = (role: Role | null | undefined) => flags('organization', organizationPermissions, role)

/** The `permissions` object of a space for somebody with this role. */
export const presentSpacePermissions = (role: Role | null | undefined) => flags('space', spacePermissions, role)

/** The `permissions` object of a collection for somebody with this role. */
export const presentCollectionPermissions = (role: Role | null | undefined) => flags('collection', collectionPermissions, role)

/** The `permissions` object of a team for somebody with this role. */
export const presentTeamPermissions = (role: Role | null | undefined) => flags('team', teamPermissions, role)
