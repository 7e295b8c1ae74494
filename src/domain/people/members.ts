// Finds, lists, changes and removes members of an organization.
import { required, keysOf } from '../../kernel/defined.js'
import { allows, greater } from '../../access/index.js'
import { notFound } from '../../kernel/errors.js'
import { type Page, pageOf, paginate } from '../../kernel/paging.js'
import {
  collections,
  grants,
  invites,
  memberList,
  type MembershipDoc,
  membershipId,
  memberships,
  type MembersQuery,
  type Role,
  sites,
  spaces,
  ssoIdentities,
  ssoTokens,
  teamMembers,
  tokens,
  type UpdateMember,
  type UserDoc,
  users,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import { viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { removeNotificationsTo } from '../notifications/notify.js'
import { isLastResort, requireAdmin, requireOtherAdmin } from './admins.js'
import { rolesOf } from '../roles/roles-of-list.js'
import { loadSpaceAccess } from '../roles/space-access.js'
import { removeKeptGrants } from '../roles/cached-grants.js'
import { removeRequestedReviews } from '../reviews/requests.js'
import { removeViewedOf } from '../reviews/viewed.js'

/**
 * Removes all data of a user in an organization except the membership, in the transaction that removes the membership.
 * This includes team memberships, roles given to the user, tokens limited to the organization, requested reviews, marks
 * of viewed pages, and invitations that they created. Identities of single sign-on are marked as removed, so that the user does not return
 * automatically.
 */
async function removeMemberData(tx: Transaction, organization: string, user: string): Promise<void> {
  for (const one of await tx.find(teamMembers, 'user', `${organization}/${user}`)) await tx.remove(teamMembers, one.id)
  for (const grant of await tx.find(grants, 'principal', `user:${user}`))
    if ((await ownerOf(tx, grant.target)) === organization) await tx.remove(grants, grant.id)
  await removeKeptGrants(tx, organization, `user:${user}`)
  for (const token of await tx.find(tokens, 'user', user))
    if (token.organization === organization) await tx.remove(tokens, token.id)
  for (const one of await tx.find(ssoIdentities, 'user', `${organization}/${user}`))
    await tx.replace(ssoIdentities, { ...one, removed: true })
  for (const named of await tx.find(ssoTokens, 'organization', organization))
    if (named.user === user) await tx.remove(ssoTokens, named.id)
  await removeRequestedReviews(tx, organization, user)
  await removeViewedOf(tx, organization, user)
  await removeNotificationsTo(tx, organization, user)
  for (const invite of await tx.find(invites, 'createdBy', `${organization}/${user}`))
    await tx.remove(invites, invite.id)
}

/** Returns the organization of a grant's target. Null if the target no longer exists. */
async function ownerOf(tx: Transaction, target: string): Promise<string | null> {
  const [kind, id = ''] = target.split(':')
  const doc =
    kind === 'space'
      ? await tx.get(spaces, id)
      : kind === 'collection'
        ? await tx.get(collections, id)
        : await tx.get(sites, id)
  return doc?.organization ?? null
}

/** Minimum time between two updates of `lastSeenAt`. */
const PING_MS = 60 * 1000

/** A member of an organization. `role` is the caller's role in it, and at least `read` for their own membership. */
export interface LoadedMember {
  doc: Document<MembershipDoc>
  user: Document<UserDoc>
  role: Role | null
}

/** A member with their counters. */
export interface CountedMember extends LoadedMember {
  spaces: number
  sites: number
  teams: number
}

/** Finds a member by user ID. Null if there is none, or the caller may not see other members. */
export async function findMember(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  id: string,
): Promise<LoadedMember | null> {
  const doc = await app.store.get(memberships, membershipId(organization.doc.id, id))
  const user = doc && (await app.store.get(users, id))
  const role = id === actor.user.id ? greater(organization.role, 'read') : organization.role
  return user && allows('member:view', role) ? { doc, user, role } : null
}

/** Lists a page of an organization's members with their counters. */
export async function listMembers(
  app: App,
  organization: LoadedOrganization,
  query: MembersQuery,
): Promise<Page<CountedMember>> {
  const { id } = organization.doc
  const page =
    query.search === undefined
      ? await pageOf(app.store, memberships, query.sort, memberList(id, query.role), query)
      : await searchMembers(app, id, query, query.search.toLowerCase())
  const { role } = organization
  const loaded = await Promise.all(
    page.items.map(async (doc) => ({ doc, role, user: required(await app.store.get(users, doc.user)) })),
  )
  return { ...page, items: await countMembers(app, id, loaded) }
}

/**
 * Searches the members. Names and addresses are stored with users, not with memberships, so a search reads every
 * member.
 */
async function searchMembers(
  app: App,
  organization: string,
  query: MembersQuery,
  needle: string,
): Promise<Page<Document<MembershipDoc>>> {
  const role = query.role === 'guest' ? null : query.role
  const matching: Document<MembershipDoc>[] = []
  for (const doc of await app.store.find(memberships, 'organization', organization)) {
    const fits =
      (role === undefined || doc.role === role) && (query.sort !== 'lastSeenAt' || doc.lastSeenAt !== undefined)
    if (fits && matches(await app.store.get(users, doc.user), needle)) matching.push(doc)
  }
  return paginate(matching, query, (doc) => [doc[query.sort] ?? '', doc.id], query.order)
}

const matches = (user: UserDoc | null, needle: string): boolean =>
  user !== null && (user.displayName.toLowerCase().includes(needle) || user.email.includes(needle))

/** Adds counters to members of one organization. */
export async function countMembers(
  app: App,
  organization: string,
  members: readonly LoadedMember[],
): Promise<CountedMember[]> {
  if (members.length === 0) return []
  const access = await loadSpaceAccess(app.store, organization)
  const all = await app.store.find(sites, 'organization', organization)
  return Promise.all(
    members.map(async (member) => {
      const viewer = await viewerOf(app.store, member.user.id, organization)
      return {
        ...member,
        spaces: await access.countFor(viewer),
        sites: (await rolesOf(app.store, viewer, 'site', all)).filter((role) => role !== null).length,
        teams: await app.store.count(teamMembers, 'user', `${organization}/${member.user.id}`),
      }
    }),
  )
}

/**
 * Changes the role or access of a member. Throws 403 if the caller is no longer an admin, and 409 for the last admin.
 */
export function updateMember(app: App, actor: Actor, member: LoadedMember, input: UpdateMember): Promise<LoadedMember> {
  return changeMember(app, actor, member, () => input)
}

/**
 * Requires single sign-on from a member. If they have no identity, the next new identity with their address is linked
 * to them. Throws the errors of `updateMember`.
 */
export function addMemberToSso(app: App, actor: Actor, member: LoadedMember): Promise<LoadedMember> {
  return changeMember(app, actor, member, ({ ssoLink = 'open' }) => ({ sso: true, ssoLink }))
}

async function changeMember(
  app: App,
  actor: Actor,
  member: LoadedMember,
  changeOf: (stored: MembershipDoc) => Partial<Pick<MembershipDoc, 'role' | 'disabled' | 'sso' | 'ssoLink'>>,
): Promise<LoadedMember> {
  const { id, organization, user } = member.doc
  const doc = await app.store.transact(async (tx) => {
    await requireAdmin(tx, actor, organization)
    const stored = await tx.get(memberships, id)
    if (!stored) throw notFound('The member')
    const change = changeOf(stored)
    const next = { ...stored, ...change }
    const changed = keysOf(change).filter((key) => next[key] !== stored[key])
    if (changed.length === 0) return stored
    if (isLastResort(stored) && !isLastResort(next)) await requireOtherAdmin(tx, stored)
    const data = { changed, role: next.role, previousRole: stored.role }
    await emit(app, tx, { type: 'member.updated', organization, actor: actor.user.id, subject: { user }, data })
    return tx.replace(memberships, next)
  })
  return { ...member, doc }
}

/**
 * Ends a membership and removes all dependent data (`removeMemberData`) in one transaction. Members may leave; admins
 * may remove any member. A user of this organization only becomes a former user. Throws 403, and 409 for the last
 * admin.
 */
export async function removeMember(
  app: App,
  actor: Actor,
  { doc: { id, organization, user } }: LoadedMember,
): Promise<void> {
  await app.store.transact(async (tx) => {
    if (user !== actor.user.id) await requireAdmin(tx, actor, organization)
    const stored = await tx.get(memberships, id)
    if (!stored) return
    if (isLastResort(stored)) await requireOtherAdmin(tx, stored)
    await removeMemberData(tx, organization, user)
    await tx.remove(memberships, id)
    const doc = await tx.get(users, user)
    if (doc?.limitedTo === organization) await tx.replace(users, { ...doc, former: true })
    await emit(app, tx, {
      type: 'member.removed',
      organization,
      actor: actor.user.id,
      subject: { user },
      data: { role: stored.role },
    })
  })
}

/** Stores that the caller was active now, at most once a minute. */
export async function ping(app: App, actor: Actor, organization: LoadedOrganization): Promise<void> {
  const id = membershipId(organization.doc.id, actor.user.id)
  const now = app.clock.now()
  const isRecent = (doc: MembershipDoc | null): boolean =>
    doc?.lastSeenAt !== undefined && now.getTime() - Date.parse(doc.lastSeenAt) < PING_MS
  if (isRecent(await app.store.get(memberships, id))) return
  await app.store.transact(async (tx) => {
    const stored = await tx.get(memberships, id)
    if (stored && !isRecent(stored)) await tx.replace(memberships, { ...stored, lastSeenAt: now.toISOString() })
  })
}
