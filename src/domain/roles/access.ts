// Determines who may see an organization, space or collection, and with which role.
import { atLeast, type ChainLink, effectiveRole } from '../../access/index.js'
import { ServiceError } from '../../kernel/errors.js'
import {
  type CollectionDoc,
  collections,
  type DefaultLevel,
  type GrantDoc,
  grants,
  type MembershipDoc,
  membershipId,
  memberships,
  type OrganizationDoc,
  organizations,
  type Role,
  type SpaceDoc,
  spaces,
  ssoTokenId,
  ssoTokens,
  teamMembers,
  tokens,
  type TranslationDoc,
} from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedCollection, LoadedOrganization, LoadedSpace } from '../context/loaded.js'
import { repositoryName } from '../context/refs.js'

/** Whether the caller's token is valid for the organization. */
const inScope = (actor: Actor, organization: string): boolean =>
  actor.token.organization === undefined || actor.token.organization === organization

/**
 * Whether a member must use single sign-on. An admin must use it only if they are marked themselves and have an
 * identity, which proves that it works for them. Otherwise a broken sign-on would lock out all admins, and no one could
 * repair it.
 */
export const requiresSso = (
  organization: Pick<OrganizationDoc, 'sso'>,
  { role, sso, ssoLink }: Pick<MembershipDoc, 'role' | 'sso' | 'ssoLink'>,
): boolean => (role === 'admin' ? sso && ssoLink === 'linked' : organization.sso || sso)

/**
 * Whether the caller's token gives access to the organization. It must not be limited to another one, and no admin may
 * have revoked the access. If the caller must use single sign-on, the token must come from it (and is then limited to
 * the organization) or be named by an admin.
 */
export async function isTokenFor(reader: Reader, actor: Actor, organization: string): Promise<boolean> {
  if (!inScope(actor, organization) || (await isExcluded(reader, actor, organization))) return false
  if (actor.token.sso || !(await callerRequiresSso(reader, actor, organization))) return true
  return (await reader.get(ssoTokens, ssoTokenId(organization, actor.token.id))) !== null
}

/** Whether an admin of the organization revoked the access of the caller's token. */
const isExcluded = async (reader: Reader, actor: Actor, organization: string): Promise<boolean> =>
  (await reader.get(tokens, actor.token.id))?.excludedFrom?.includes(organization) ?? false

async function callerRequiresSso(reader: Reader, actor: Actor, organization: string): Promise<boolean> {
  const doc = await reader.get(organizations, organization)
  const membership = await reader.get(memberships, membershipId(organization, actor.user.id))
  return doc !== null && membership !== null && requiresSso(doc, membership)
}

/** Returns the user's role in an organization: null = guest, undefined = not a member. */
export async function organizationRole(
  reader: Reader,
  user: string,
  organization: string,
): Promise<Role | null | undefined> {
  const membership = await reader.get(memberships, membershipId(organization, user))
  return membership && !membership.disabled ? membership.role : undefined
}

/**
 * Finds the organization if the caller is a member of it, otherwise null. Throws 403 if they must use single sign-on.
 */
export async function findOrganization(app: App, actor: Actor, id: string): Promise<LoadedOrganization | null> {
  const found = await findOwnOrganization(app, actor, id)
  if (!found || (await isTokenFor(app.store, actor, id))) return found
  throw new ServiceError(
    'forbidden',
    `This organization requires single sign-on, and your token does not come from it. Sign in with a provider from GET /v1/orgs/${id}/sso. For automation, ask an admin to name the token: PUT /v1/orgs/${id}/sso/tokens/${actor.token.id}.`,
  )
}

/** Finds the organization like `findOrganization`, even if the caller has not yet used single sign-on. */
export async function findOwnOrganization(app: App, actor: Actor, id: string): Promise<LoadedOrganization | null> {
  if (!inScope(actor, id)) return null
  const doc = await app.store.get(organizations, id)
  const role = doc ? await organizationRole(app.store, actor.user.id, id) : undefined
  return doc && role !== undefined && !(await isExcluded(app.store, actor, id)) ? { doc, role } : null
}

/**
 * A user as seen from one organization, with the data that determines their roles apart from the content. Load it with
 * `viewerOf`.
 */
export interface Viewer {
  user: string
  /** Null = guest, undefined = not a member. */
  member: Role | null | undefined
  /**
   * `user:<id>`, and `team:<id>` for each of their teams. Empty for admins and non-members, whose roles do not depend
   * on grants.
   */
  principals: ReadonlySet<string>
}

/** Loads a viewer. For a list, load it once and call `roleOn` or `rolesOf`. */
export async function viewerOf(reader: Reader, user: string, organization: string): Promise<Viewer> {
  const member = await organizationRole(reader, user, organization)
  if (member === undefined || member === 'admin') return { user, member, principals: new Set() }
  const ownTeams = await reader.find(teamMembers, 'user', `${organization}/${user}`)
  return { user, member, principals: new Set([`user:${user}`, ...ownTeams.map(({ team }) => `team:${team}`)]) }
}

/** Content on which roles are granted: a space, a collection or a site. Example: `{...space.doc, kind: 'space'}`. */
export interface PermissionTarget {
  kind: 'space' | 'collection' | 'site'
  id: string
  organization: string
  parent?: string
  /** Absent = `inherit`; null = no access by default. */
  defaultLevel?: DefaultLevel
  /**
   * Visibility of a space. With `in-collection`, all users who may see the collection may read the space, regardless of
   * its default level.
   */
  visibility?: string
}

/** Returns the key by which grants refer to their target. */
export const grantTarget = ({ kind, id }: Pick<PermissionTarget, 'kind' | 'id'>): string => `${kind}:${id}`

/** One link of a permission chain, with its grants. */
export interface PermissionLink {
  kind: PermissionTarget['kind']
  id: string
  defaultLevel: DefaultLevel
  grants: readonly GrantDoc[]
}

/** Returns the chain that determines roles: the content itself, then its collections, innermost first. */
export async function permissionChain(
  reader: Reader,
  content: Omit<PermissionTarget, 'organization'>,
): Promise<PermissionLink[]> {
  const chain: PermissionLink[] = []
  for (let at: Omit<PermissionTarget, 'organization'> | null = content; at; ) {
    // A default value and not `??`, since null is also a level and means no access.
    const { kind, id, defaultLevel = 'inherit' } = at
    chain.push({ kind, id, defaultLevel, grants: await reader.find(grants, 'target', grantTarget({ kind, id })) })
    const parent: CollectionDoc | null = at.parent === undefined ? null : await reader.get(collections, at.parent)
    at = parent ? { ...parent, kind: 'collection' } : null
  }
  return chain
}

/** Returns the role that a loaded chain gives a viewer. */
function roleByChain(chain: readonly PermissionLink[], viewer: Viewer): Role | null {
  const links = chain.map(
    (link): ChainLink => ({
      defaultLevel: link.defaultLevel,
      granted: link.grants.filter((grant) => viewer.principals.has(grant.principal)).map((grant) => grant.role),
    }),
  )
  return effectiveRole(links, viewer.member)
}

/** Returns the role of a viewer on content of their organization; null = none. */
export async function roleOn(reader: Reader, viewer: Viewer, content: PermissionTarget): Promise<Role | null> {
  if (viewer.member === undefined || viewer.member === 'admin') return viewer.member ?? null
  const chain = await permissionChain(reader, content)
  return (
    roleByChain(chain, viewer) ??
    (isReadableInCollection(content, chain.slice(1)) && roleByChain(chain.slice(1), viewer) !== null ? 'read' : null)
  )
}

/**
 * Whether all users who may see the collection of this space may also read the space (visibility `in-collection`).
 * @param parents the chain above the space
 */
export const isReadableInCollection = (
  { visibility }: Pick<PermissionTarget, 'visibility'>,
  parents: readonly unknown[],
): boolean => visibility === 'in-collection' && parents.length > 0

/** Returns the role of one user on one piece of content; null = none. */
export async function contentRole(reader: Reader, user: string, content: PermissionTarget): Promise<Role | null> {
  return roleOn(reader, await viewerOf(reader, user, content.organization), content)
}

export const spaceRole = (reader: Reader, user: string, space: SpaceDoc): Promise<Role | null> =>
  contentRole(reader, user, { ...space, kind: 'space' })

/** Finds the collection, with the caller's role. Null if it does not exist or they may not see it. */
export async function findCollection(app: App, actor: Actor, id: string): Promise<LoadedCollection | null> {
  const doc = await app.store.get(collections, id)
  if (!doc || !(await isTokenFor(app.store, actor, doc.organization))) return null
  const role = await contentRole(app.store, actor.user.id, { ...doc, kind: 'collection' })
  return role === null ? null : { doc, role }
}

/**
 * Finds the space, with the caller's role and its repository. Null if it does not exist, is deleted, or they may not
 * see it.
 */
export async function findSpace(
  app: App,
  actor: Actor,
  id: string,
  options: { deleted?: boolean } = {},
): Promise<LoadedSpace | null> {
  const doc = await app.store.get(spaces, id)
  if (
    !doc ||
    (doc.deletedAt !== undefined && !options.deleted) ||
    !(await isTokenFor(app.store, actor, doc.organization))
  )
    return null
  const role = await spaceRole(app.store, actor.user.id, doc)
  if (role === null) return null
  return { doc, role, repo: await app.git.open(repositoryName(id)) }
}

/**
 * Returns a user's role on a translation: their role on the translated space. If that space was purged, it is their
 * role in the organization, provided that they may create content.
 */
export async function translationRole(
  reader: Reader,
  user: string,
  { organization, result }: TranslationDoc,
): Promise<Role | null> {
  const space = await reader.get(spaces, result.space)
  if (space) return spaceRole(reader, user, space)
  const role = (await organizationRole(reader, user, organization)) ?? null
  return atLeast(role, 'create') ? role : null
}
