import { type ChainLink, effectiveRole } from '../access/index.js'
import {
  type CollectionDoc,
  collections,
  type DefaultLevel,
  grants,
  membershipId,
  memberships,
  organizations,
  type Role,
  type SpaceDoc,
  spaces,
  teams,
} from '../model/index.js'
import type { Reader } from '../store/index.js'
import type { Actor, App, LoadedOrganization, LoadedSpace } from './app.js'
import { repositoryName } from './refs.js'

/** Whether the caller's token may touch the organization at all. */
const inScope = (actor: Actor, organization: string): boolean => actor.token.organization === undefined || actor.token.organization === organization

/** The user's role in an organization: null = guest, undefined = not a member. */
export async function organizationRole(reader: Reader, user: string, organization: string): Promise<Role | null | undefined> {
  const membership = await reader.get(memberships, membershipId(organization, user))
  return membership && !membership.disabled ? membership.role : undefined
}

/** The organization, where the caller is a member of it; else null. */
export async function findOrganization(app: App, actor: Actor, id: string): Promise<LoadedOrganization | null> {
  if (!inScope(actor, id)) return null
  const doc = await app.store.get(organizations, id)
  const role = doc ? await organizationRole(app.store, actor.user.id, id) : undefined
  return doc && role !== undefined ? { doc, role } : null
}

/** The role of a user on a space or collection, by the whole chain up to the organization; null = none. */
export async function contentRole(
  reader: Reader,
  user: string,
  content: { kind: 'space' | 'collection'; id: string; organization: string; parent?: string; defaultLevel: DefaultLevel },
): Promise<Role | null> {
  const member = await organizationRole(reader, user, content.organization)
  if (member === undefined || member === 'admin') return member ?? null
  const mine = (await reader.find(teams, 'user', user)).filter((team) => team.organization === content.organization)
  const principals = new Set([`user:${user}`, ...mine.map((team) => `team:${team.id}`)])
  const chain: ChainLink[] = []
  for (let at: { kind: 'space' | 'collection'; id: string; parent?: string; defaultLevel: DefaultLevel } | null = content; at; ) {
    const granted = (await reader.find(grants, 'target', `${at.kind}:${at.id}`)).filter((grant) => principals.has(grant.principal)).map((grant) => grant.role)
    chain.push({ defaultLevel: at.defaultLevel, granted })
    const parent: CollectionDoc | null = at.parent === undefined ? null : await reader.get(collections, at.parent)
    at = parent ? { ...parent, kind: 'collection' } : null
  }
  return effectiveRole(chain, member)
}

export const spaceRole = (reader: Reader, user: string, space: SpaceDoc): Promise<Role | null> => contentRole(reader, user, { ...space, kind: 'space' })

/** The space with the caller's role and its repository; null where it is not there, deleted, or not for him to see. */
export async function findSpace(app: App, actor: Actor, id: string, options: { deleted?: boolean } = {}): Promise<LoadedSpace | null> {
  const doc = await app.store.get(spaces, id)
  if (!doc || (doc.deletedAt !== undefined && !options.deleted) || !inScope(actor, doc.organization)) return null
  const role = await spaceRole(app.store, actor.user.id, doc)
  if (role === null) return null
  return { doc, role, repo: await app.git.open(repositoryName(id)) }
}
