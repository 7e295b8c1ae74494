// Determines the role of each member on a resource, and its sources: a default, a team, or a direct grant.
import { required } from '../../kernel/defined.js'
import { atLeast, greater, rank } from '../../access/index.js'
import {
  type MembershipDoc,
  memberList,
  memberships,
  type permissionSources,
  type Role,
  teamMembers,
  type UserDoc,
  users,
} from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { isReadableInCollection, type PermissionLink, type PermissionTarget, permissionChain } from './access.js'
import type { App } from '../context/app.js'

/** One of the sources of a member's role. */
interface PermissionSource {
  type: (typeof permissionSources)[number]
  permission: Role
  /** The collection that gives the role. Absent = the content itself. */
  collection?: string
  team?: string
}

/** The default role of members: from a default level or visibility, none, or their `own` role in the organization. */
type Base = { source: PermissionSource } | 'none' | 'own'

/**
 * Computes the role of every member on one space, collection or site. The permission chain and its teams are loaded
 * once. Each member then costs a few look-ups in memory and none in the store.
 */
export class Aggregation {
  #base: Base
  readonly #granted = new Map<string, PermissionSource[]>()

  private constructor(
    private readonly content: PermissionTarget,
    chain: readonly PermissionLink[],
  ) {
    this.#base = this.#baseOf(chain)
    if (this.#base !== 'none' || !isReadableInCollection(content, chain.slice(1))) return
    const ofCollection = this.#baseOf(chain.slice(1))
    if (ofCollection !== 'none')
      this.#base = { source: { type: 'visibility', permission: 'read', collection: required(content.parent) } }
  }

  /** Returns the default role of members along a chain. */
  #baseOf(chain: readonly PermissionLink[]): Base {
    const link = chain.find(({ defaultLevel }) => defaultLevel !== 'inherit')
    if (link === undefined || link.defaultLevel === 'inherit') return 'own'
    return link.defaultLevel === null
      ? 'none'
      : { source: { type: 'default-level', permission: link.defaultLevel, ...this.#above(link) } }
  }

  static async of(reader: Reader, content: PermissionTarget): Promise<Aggregation> {
    const chain = await permissionChain(reader, content)
    const all = new Aggregation(content, chain)
    for (const link of chain)
      for (const { principal, role } of link.grants) await all.#add(reader, link, principal, role)
    return all
  }

  async #add(reader: Reader, link: PermissionLink, principal: string, permission: Role): Promise<void> {
    const kind = principal.startsWith('team') ? 'team' : 'user'
    const id = principal.slice(5)
    const people = kind === 'team' ? (await reader.find(teamMembers, 'team', id)).map(({ user }) => user) : [id]
    const source: PermissionSource = {
      type: kind,
      permission,
      ...(kind === 'team' ? { team: id } : {}),
      ...this.#above(link),
    }
    for (const user of people) this.#granted.set(user, [...(this.#granted.get(user) ?? []), source])
  }

  #above = ({ kind, id }: PermissionLink) => (kind === 'collection' && id !== this.content.id ? { collection: id } : {})

  /** Returns all sources of a member's role, the most powerful first, by the same rules as `effectiveRole`. */
  sources(member: Pick<MembershipDoc, 'user' | 'role' | 'disabled'>): PermissionSource[] {
    if (member.disabled) return []
    if (member.role === 'admin') return [{ type: 'organization', permission: 'admin' }]
    const granted = this.#granted.get(member.user) ?? []
    if (member.role === null || this.#base === 'none') return strongestFirst(granted)
    const base = this.#base === 'own' ? { type: 'organization' as const, permission: member.role } : this.#base.source
    return strongestFirst([base, ...granted])
  }

  /**
   * Returns a member's role; null = none. It equals the strongest of `sources`, but is computed without a list, since
   * it is called for every member.
   */
  role(member: Pick<MembershipDoc, 'user' | 'role' | 'disabled'>): Role | null {
    if (member.disabled) return null
    if (member.role === 'admin') return 'admin'
    let role: Role | null = null
    if (member.role !== null && this.#base !== 'none')
      role = this.#base === 'own' ? member.role : this.#base.source.permission
    for (const { permission } of this.#granted.get(member.user) ?? []) role = greater(role, permission)
    return role
  }
}

const strongestFirst = (sources: readonly PermissionSource[]): PermissionSource[] =>
  sources.length < 2 ? [...sources] : [...sources].sort((a, b) => rank(b.permission) - rank(a.permission))

/**
 * Lists the members with at least a role on the content (default: any), in the order in which they joined. Cut the list
 * to a page before calling `userOf`.
 */
export async function aggregatePermissions(
  app: App,
  content: PermissionTarget,
  minRole: Role = 'read',
): Promise<{ all: Document<MembershipDoc>[]; aggregation: Aggregation }> {
  const aggregation = await Aggregation.of(app.store, content)
  const allMembers = { limit: Number.POSITIVE_INFINITY, direction: 'asc' } as const
  const { documents } = await app.store.page(memberships, 'joinedAt', memberList(content.organization), allMembers)
  return { all: documents.filter((member) => atLeast(aggregation.role(member), minRole)), aggregation }
}

/** Finds the user of a membership. Null if the account no longer exists. */
export const userOf = (app: App, { user }: MembershipDoc): Promise<Document<UserDoc> | null> =>
  app.store.get(users, user)
