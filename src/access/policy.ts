// The table of permissions, which decides the checks and the `permissions` of responses.
import type { Role } from '../model/common.js'
import {
  collectionPermissions,
  organizationPermissions,
  sitePermissions,
  spacePermissions,
  teamPermissions,
} from '../model/index.js'
import { atLeast, rank } from './roles.js'
import { fromNames } from '../kernel/defined.js'

/**
 * The policy: the minimum role for each permission. Both the checks of requests and the `permissions` of responses use
 * it,
 * so they cannot differ. `guest` = any member of the organization, regardless of role.
 */
export const policy = {
  'organization:view': 'guest',
  'organization:access': 'guest',
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
  'site:access': 'read',
  'site:comment': 'comment',
  'site:edit': 'edit',
  'site:review': 'review',
  'site:merge': 'review',
  'site:triggerGitSync': 'review',
  'site:create': 'create',
  'site:admin': 'admin',
  'site:viewInviteLinks': 'admin',
  'site:installIntegration': 'admin',
  'site:viewAdaptiveSchema': 'read',
  'site:editAdaptiveSchema': 'admin',
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

/** Whether a role (null = guest, undefined = not a member) is sufficient for a permission. */
export function allows(permission: Permission, role: Role | null | undefined): boolean {
  if (role === undefined) return false
  const least = policy[permission]
  return least === 'guest' ? rank(role) >= -1 : atLeast(role, least)
}

/** The permissions of a read-only token, which change nothing. */
const reading: ReadonlySet<Permission> = new Set<Permission>([
  'organization:view',
  'organization:access',
  'organization:viewBilling',
  'organization:listMembers',
  'organization:listTeams',
  'organization:listIntegrations',
  'organization:listInstallations',
  'translation:view',
  'member:view',
  'team:view',
  'collection:view',
  'collection:viewInviteLinks',
  'site:view',
  'site:access',
  'site:viewInviteLinks',
  'site:viewAdaptiveSchema',
  'space:view',
  'space:access',
  'space:viewInviteLinks',
])

/**
 * The caller of a request: the role on the resource (null = guest, undefined = not a member), and whether the token is
 * read-only.
 */
export interface Caller {
  role: Role | null | undefined
  readOnly: boolean
}

/** Whether the caller may use a permission with this token. */
export const mayNow = (permission: Permission, { role, readOnly }: Caller): boolean =>
  allows(permission, role) && (!readOnly || reading.has(permission))

/** Whether a text is the name of a permission. */
export const isPermission = (name: string): name is Permission => Object.hasOwn(policy, name)

const flags = <K extends string>(scope: string, keys: readonly K[], caller: Caller): Record<K, boolean> =>
  fromNames(keys, (key) => {
    const permission = `${scope}:${key}`
    return isPermission(permission) && mayNow(permission, caller)
  })

/** Returns the `permissions` object of an organization. */
export const presentOrganizationPermissions = (caller: Caller) => flags('organization', organizationPermissions, caller)

/** Returns the `permissions` object of a space. No one can write the content of a locked space. */
export const presentSpacePermissions = (caller: Caller, locked: boolean) => ({
  ...flags('space', spacePermissions, caller),
  ...(locked ? { edit: false, merge: false } : {}),
})

/** Returns the `permissions` object of a site. */
export const presentSitePermissions = (caller: Caller) => flags('site', sitePermissions, caller)

/** Returns the `permissions` object of a collection. */
export const presentCollectionPermissions = (caller: Caller) => flags('collection', collectionPermissions, caller)

/** Returns the `permissions` object of a team. */
export const presentTeamPermissions = (caller: Caller) => flags('team', teamPermissions, caller)

/**
 * Returns what a reader may do with a comment or reply. Only its author may change its text; an admin may delete it.
 */
export const presentCommentPermissions = (caller: Caller, author: boolean) => ({
  view: mayNow('space:view', caller),
  edit: author && mayNow('space:comment', caller),
  reply: mayNow('space:comment', caller),
  delete: mayNow('space:comment', caller) && (author || mayNow('space:admin', caller)),
})

/** Whether the caller may resolve or reopen a comment: its author, and everyone who may edit the content, can do so. */
export const mayResolve = (role: Role, author: boolean): boolean =>
  allows('space:edit', role) || (author && allows('space:comment', role))
