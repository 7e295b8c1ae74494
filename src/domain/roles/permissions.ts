// Grants, changes and revokes roles on a space, collection or site.
import { atLeast } from '../../access/index.js'
import { badRequest, type ErrorDetail, notFound, ServiceError } from '../../kernel/errors.js'
import {
  type EventType,
  type GrantDoc,
  grants,
  keptGrants,
  type InviteToContent,
  membershipId,
  memberships,
  type Role,
  type TeamDoc,
  teams,
  type UserDoc,
  users,
} from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import { contentRole, grantTarget, type PermissionTarget } from './access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import { emit } from '../events/events.js'

/** The user or team that receives a role. */
export interface Principal {
  kind: 'user' | 'team'
  id: string
}

const principalKey = ({ kind, id }: Principal): string => `${kind}:${id}`
const grantId = (target: PermissionTarget, principal: Principal): string =>
  `${grantTarget(target)}:${principalKey(principal)}`

/** Finds the grant of a principal on the target itself, or null. */
export const findGrant = (
  reader: Reader,
  target: PermissionTarget,
  principal: Principal,
): Promise<Document<GrantDoc> | null> => reader.get(grants, grantId(target, principal))

/**
 * Grants a role on the target to users and teams of the organization. It replaces an earlier grant. Throws 400 naming
 * all principals outside the organization, and 403 for a role above the caller's own.
 */
export async function invite(app: App, actor: Actor, target: PermissionTarget, input: InviteToContent): Promise<void> {
  const invited = [
    ...(input.users ?? []).map((id, i) => ({ kind: 'user' as const, id, path: `/users/${i}` })),
    ...(input.teams ?? []).map((id, i) => ({ kind: 'team' as const, id, path: `/teams/${i}` })),
  ]
  if (invited.length === 0)
    throw badRequest('The invitation contains no users or teams.', [
      { path: '', message: 'must have at least one user in users or one team in teams' },
    ])
  await app.store.transact(async (tx) => {
    await checkOwnRole(tx, actor, target, input.role)
    const details: ErrorDetail[] = []
    for (const { path, ...principal } of invited)
      if (!(await mayBeInvited(tx, target, principal))) details.push({ path, message: requirementOf[principal.kind] })
    if (details.length > 0) throw badRequest('Some of the users or teams do not belong to this organization.', details)
    for (const { kind, id } of invited) await setGrant(tx, target, { kind, id }, input.role)
    await emitChange(app, tx, actor, target, { role: input.role, users: input.users ?? [], teams: input.teams ?? [] })
  })
}

const requirementOf = {
  user: 'must be the ID of a member of this organization',
  team: 'must be the ID of a team of this organization',
}

/**
 * Changes the role that was granted to a principal. Throws 403 for a role above the caller's own, and 404 if the
 * principal has no grant here.
 */
export async function changeGrant(
  app: App,
  actor: Actor,
  target: PermissionTarget,
  principal: Principal,
  role: Role,
): Promise<void> {
  await app.store.transact(async (tx) => {
    await checkOwnRole(tx, actor, target, role)
    if (!(await findGrant(tx, target, principal))) throw notFound(`A role given directly to this ${principal.kind}`)
    if (await setGrant(tx, target, principal, role))
      await emitChange(app, tx, actor, target, { role, [`${principal.kind}s`]: [principal.id] })
  })
}

/**
 * Revokes the role that was granted to a principal, if there is one. Roles from a default level or a collection above
 * stay.
 */
export async function removeGrant(
  app: App,
  actor: Actor,
  target: PermissionTarget,
  principal: Principal,
): Promise<void> {
  await app.store.transact(async (tx) => {
    await checkOwnRole(tx, actor, target, 'read')
    if (await tx.remove(grants, grantId(target, principal)))
      await emitChange(app, tx, actor, target, { role: null, [`${principal.kind}s`]: [principal.id] })
  })
}

/** Whether the user is an active member of the target's organization, or the team belongs to it. */
async function mayBeInvited(reader: Reader, target: PermissionTarget, { kind, id }: Principal): Promise<boolean> {
  if (kind === 'team') return (await reader.get(teams, id))?.organization === target.organization
  const membership = await reader.get(memberships, membershipId(target.organization, id))
  return membership !== null && !membership.disabled
}

/**
 * Throws 403 unless the caller is still an admin of the target, with a role at least as powerful as the granted one.
 */
async function checkOwnRole(reader: Reader, actor: Actor, target: PermissionTarget, role: Role): Promise<void> {
  const own = await contentRole(reader, actor.user.id, target)
  if (own === null) throw notFound(`The ${target.kind}`)
  if (!atLeast(own, 'admin'))
    throw new ServiceError('forbidden', `Only an admin of the ${target.kind} may manage its roles.`)
  if (!atLeast(own, role))
    throw new ServiceError(
      'forbidden',
      `You are not allowed to grant the role ${role}, which is above your own role ${own}.`,
    )
}

/** Stores a grant. Returns whether anything changed. */
async function setGrant(tx: Transaction, target: PermissionTarget, principal: Principal, role: Role): Promise<boolean> {
  const id = grantId(target, principal)
  const stored = await tx.get(grants, id)
  if (stored?.role === role) return false
  if (stored) await tx.replace(grants, { ...stored, role })
  else await tx.insert(grants, { id, target: grantTarget(target), principal: principalKey(principal), role })
  return true
}

const emitChange = (app: App, tx: Transaction, actor: Actor, target: PermissionTarget, permissions: object) =>
  emit(app, tx, {
    type: `${target.kind}.updated` satisfies EventType,
    organization: target.organization,
    actor: actor.user.id,
    subject: { [target.kind]: target.id },
    data: { permissions },
  })

/** A user or team, and the role granted to it on the target itself. */
export interface GrantListing<T extends object> {
  role: Role
  principal: Document<T>
}

/** Lists the users with a direct grant on the target who are still members of its organization. */
export async function listUserGrants(app: App, target: PermissionTarget): Promise<GrantListing<UserDoc>[]> {
  const found: GrantListing<UserDoc>[] = []
  for (const { id, role } of await grantsTo(app.store, target, 'user')) {
    const user = (await app.store.get(memberships, membershipId(target.organization, id)))
      ? await app.store.get(users, id)
      : null
    if (user) found.push({ role, principal: user })
  }
  return found
}

/** Lists the teams with a direct grant on the target. */
export async function listTeamGrants(app: App, target: PermissionTarget): Promise<GrantListing<TeamDoc>[]> {
  const found: GrantListing<TeamDoc>[] = []
  for (const { id, role } of await grantsTo(app.store, target, 'team')) {
    const team = await app.store.get(teams, id)
    if (team?.organization === target.organization) found.push({ role, principal: team })
  }
  return found
}

async function grantsTo(
  reader: Reader,
  target: PermissionTarget,
  kind: Principal['kind'],
): Promise<{ id: string; role: Role }[]> {
  const all = await reader.find(grants, 'target', grantTarget(target))
  return all
    .filter(({ principal }) => principal.startsWith(`${kind}:`))
    .map(({ principal, role }) => ({ id: principal.slice(kind.length + 1), role }))
}

/** Removes all grants on content, in the transaction that removes the content. */
export async function removeGrantsOn(tx: Transaction, target: Pick<PermissionTarget, 'kind' | 'id'>): Promise<void> {
  for (const { id } of await tx.find(grants, 'target', grantTarget(target))) await tx.remove(grants, id)
  for (const { id } of await tx.find(keptGrants, 'target', grantTarget(target))) await tx.remove(keptGrants, id)
}
