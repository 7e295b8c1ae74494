import { type ChainLink, effectiveRole } from '../../access/index.js'
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
  teamMembers,
} from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedCollection, LoadedOrganization, LoadedSpace } from '../context/loaded.js'
import { repositoryName } from '../context/refs.js'

/** Whether the caller's token is made for the organization. */
const inScope = (actor: Actor, organization: string): boolean => actor.token.organization === undefined || actor.token.organization === organization

/** Whether a membership is for single sign-on alone. Not an admin's: nobody could mend an organization that locked all out. */
export const asksForSso = (organization: Pick<OrganizationDoc, 'sso'>, { role, sso }: Pick<MembershipDoc, 'role' | 'sso'>): boolean =>
  (organization.sso || sso) && role !== 'admin'

/** Whether the caller's token opens the organization: made for it, and not by an e-mail link where single sign-on is asked for. */
export async function opens(reader: Reader, actor: Actor, organization: string): Promise<boolean> {
  return inScope(actor, organization) && !(actor.token.byEmail && (await needsSso(reader, actor, organization)))
}

async function needsSso(reader: Reader, actor: Actor, organization: string): Promise<boolean> {
  const doc = await reader.get(organizations, organization)
  const membership = await reader.get(memberships, membershipId(organization, actor.user.id))
  return doc !== null && membership !== null && asksForSso(doc, membership)
}

/** The user's role in an organization: null = guest, undefined = not a member. */
export async function organizationRole(reader: Reader, user: string, organization: string): Promise<Role | null | undefined> {
  const membership = await reader.get(memberships, membershipId(organization, user))
  return membership && !membership.disabled ? membership.role : undefined
}

/** The organization, where the caller is a member of it; else null. Throws 403 where he has to sign in by single sign-on. */
export async function findOrganization(app: App, actor: Actor, id: string): Promise<LoadedOrganization | null> {
  if (!inScope(actor, id)) return null
  const doc = await app.store.get(organizations, id)
  const role = doc ? await organizationRole(app.store, actor.user.id, id) : undefined
  if (!doc || role === undefined) return null
  if (!(await opens(app.store, actor, id)))
    throw new ServiceError('forbidden', 'This organization asks for single sign-on: a token from an e-mail link does not open it.')
  return { doc, role }
}

/** Somebody in an organization, with all that roles are made from but what is granted on the content itself. */
export interface Viewer {
  user: string
  /** Null = guest, undefined = not a member. */
  member: Role | null | undefined
  /** `user:<id>` and `team:<id>` of each of his teams. */
  principals: ReadonlySet<string>
}

/** Loads a viewer; ask once for a list, then `roleOn` for each of its items. */
export async function viewerOf(reader: Reader, user: string, organization: string): Promise<Viewer> {
  const member = await organizationRole(reader, user, organization)
  if (member === undefined || member === 'admin') return { user, member, principals: new Set() }
  const mine = await reader.find(teamMembers, 'user', `${organization}/${user}`)
  return { user, member, principals: new Set([`user:${user}`, ...mine.map(({ team }) => `team:${team}`)]) }
}

/** What roles are given on: a space, a collection, a site. */
export interface Content {
  kind: 'space' | 'collection' | 'site'
  id: string
  organization: string
  parent?: string
  /** Absent: `inherit`; null: none by default. */
  defaultLevel?: DefaultLevel
  /** Of a space: with `in-collection`, who may see the collection may read the space, whatever its default level. */
  visibility?: string
}

/** How grants name what they are given on. */
export const grantTarget = ({ kind, id }: Pick<Content, 'kind' | 'id'>): string => `${kind}:${id}`

/** A link of the chain, with all that was granted on it. */
export interface ContentLink {
  kind: Content['kind']
  id: string
  defaultLevel: DefaultLevel
  grants: readonly GrantDoc[]
}

/** The chain from content up to its organization: itself first, then its collections, outwards. */
export async function contentChain(reader: Reader, content: Omit<Content, 'organization'>): Promise<ContentLink[]> {
  const chain: ContentLink[] = []
  for (let at: Omit<Content, 'organization'> | null = content; at; ) {
    // Not `??`: null is a level of its own, nobody's.
    const { kind, id, defaultLevel = 'inherit' } = at
    chain.push({ kind, id, defaultLevel, grants: await reader.find(grants, 'target', grantTarget({ kind, id })) })
    const parent: CollectionDoc | null = at.parent === undefined ? null : await reader.get(collections, at.parent)
    at = parent ? { ...parent, kind: 'collection' } : null
  }
  return chain
}

/** The role of a viewer by a loaded chain. */
export function roleByChain(chain: readonly ContentLink[], viewer: Viewer): Role | null {
  const links = chain.map(
    (link): ChainLink => ({
      defaultLevel: link.defaultLevel,
      granted: link.grants.filter((grant) => viewer.principals.has(grant.principal)).map((grant) => grant.role),
    }),
  )
  return effectiveRole(links, viewer.member)
}

/** The role of a viewer on content of his organization, by the whole chain up to the organization; null = none. */
export async function roleOn(reader: Reader, viewer: Viewer, content: Content): Promise<Role | null> {
  if (viewer.member === undefined || viewer.member === 'admin') return viewer.member ?? null
  const chain = await contentChain(reader, content)
  return roleByChain(chain, viewer) ?? (isForReaders(content, chain.slice(1)) && roleByChain(chain.slice(1), viewer) !== null ? 'read' : null)
}

/**
 * Whether everybody who may see the collection of this space may read it: service.md, visibility `in-collection`.
 * @param parents the chain above the space
 */
export const isForReaders = ({ visibility }: Pick<Content, 'visibility'>, parents: readonly unknown[]): boolean =>
  visibility === 'in-collection' && parents.length > 0

/** The role of one user on one piece of content; null = none. */
export async function contentRole(reader: Reader, user: string, content: Content): Promise<Role | null> {
  return roleOn(reader, await viewerOf(reader, user, content.organization), content)
}

export const spaceRole = (reader: Reader, user: string, space: SpaceDoc): Promise<Role | null> => contentRole(reader, user, { ...space, kind: 'space' })

/** The collection with the caller's role; null where it is not there or not for him to see. */
export async function findCollection(app: App, actor: Actor, id: string): Promise<LoadedCollection | null> {
  const doc = await app.store.get(collections, id)
  if (!doc || !(await opens(app.store, actor, doc.organization))) return null
  const role = await contentRole(app.store, actor.user.id, { ...doc, kind: 'collection' })
  return role === null ? null : { doc, role }
}

/** The space with the caller's role and its repository; null where it is not there, deleted, or not for him to see. */
export async function findSpace(app: App, actor: Actor, id: string, options: { deleted?: boolean } = {}): Promise<LoadedSpace | null> {
  const doc = await app.store.get(spaces, id)
  if (!doc || (doc.deletedAt !== undefined && !options.deleted) || !(await opens(app.store, actor, doc.organization))) return null
  const role = await spaceRole(app.store, actor.user.id, doc)
  if (role === null) return null
  return { doc, role, repo: await app.git.open(repositoryName(id)) }
}
