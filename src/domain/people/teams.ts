// Finds, lists, creates, changes and deletes teams of an organization.
import { allows } from '../../access/index.js'
import { badRequest, notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type Page, paginate } from '../../kernel/paging.js'
import {
  type CreateTeam,
  grants,
  membershipId,
  memberships,
  type Role,
  type TeamDoc,
  type TeamsQuery,
  teamMemberId,
  teamMembers,
  teams,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import { organizationRole } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization, LoadedTeam } from '../context/loaded.js'
import { removeKeptGrants } from '../roles/cached-grants.js'
import { emit, type NewEvent } from '../events/events.js'
import { loadSpaceAccess } from '../roles/space-access.js'

/** A team with its counters. */
export interface CountedTeam extends LoadedTeam {
  members: number
  spaces: number
}

/** Finds a team of the organization, with the caller's role on it. Null if there is none, or they may not see it. */
export async function findTeam(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  id: string,
): Promise<LoadedTeam | null> {
  const doc = await app.store.get(teams, id)
  if (doc?.organization !== organization.doc.id) return null
  const role = await roleOnTeam(app, actor, organization, id)
  return allows('team:view', role) ? { doc, role } : null
}

/**
 * Returns the caller's role on a team: `admin` for its owners, otherwise their role in the organization, and at least
 * `read` for its members.
 */
export async function roleOnTeam(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  team: string,
): Promise<Role | null> {
  const teamMember = await app.store.get(teamMembers, teamMemberId(team, actor.user.id))
  return teamMember?.role === 'owner' ? 'admin' : (organization.role ?? (teamMember ? 'read' : null))
}

/** Lists a page of an organization's teams. Throws 400 if `owner` is not a member. */
export async function listTeams(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  query: TeamsQuery,
): Promise<Page<CountedTeam>> {
  const needle = query.title?.toLowerCase()
  const managed = await managedBy(app, organization.doc.id, query.owner)
  const all = await app.store.find(teams, 'organization', organization.doc.id)
  const matching = all.filter(
    (doc) =>
      (needle === undefined || doc.title.toLowerCase().includes(needle)) && (managed === null || managed.has(doc.id)),
  )
  const page = paginate(matching, query, (doc) => [doc.createdAt, doc.id])
  const seen = await Promise.all(
    page.items.map(async (doc) => ({ doc, role: await roleOnTeam(app, actor, organization, doc.id) })),
  )
  return { ...page, items: await countTeams(app, organization.doc.id, seen) }
}

/** Returns the IDs of the teams that a member may manage. Null means all (for an admin, or without `owner`). */
async function managedBy(
  app: App,
  organization: string,
  owner: string | undefined,
): Promise<ReadonlySet<string> | null> {
  if (owner === undefined) return null
  const member = await app.store.get(memberships, membershipId(organization, owner))
  if (!member)
    throw badRequest('The member does not exist.', [
      { path: 'query/owner', message: 'must be the ID of a member of this organization' },
    ])
  if (member.disabled) return new Set()
  if (member.role === 'admin') return null
  const inTeams = await app.store.find(teamMembers, 'user', `${organization}/${owner}`)
  return new Set(inTeams.filter(({ role }) => role === 'owner').map(({ team }) => team))
}

/** Adds counters to teams of one organization. */
export async function countTeams(app: App, organization: string, seen: readonly LoadedTeam[]): Promise<CountedTeam[]> {
  if (seen.length === 0) return []
  const access = await loadSpaceAccess(app.store, organization)
  return Promise.all(
    seen.map(async (team) => ({
      ...team,
      members: await app.store.count(teamMembers, 'team', team.doc.id),
      spaces: await access.countGranted(`team:${team.doc.id}`),
    })),
  )
}

/**
 * Creates a team. A caller who is not an admin of the organization becomes its owner. Throws 400 for users who are not
 * members.
 */
export async function createTeam(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: CreateTeam,
): Promise<LoadedTeam> {
  const id = newId()
  const owner = allows('organization:admin', organization.role) ? null : actor.user.id
  const doc = await app.store.transact(async (tx) => {
    if (!allows('organization:ownTeam', await organizationRole(tx, actor.user.id, organization.doc.id)))
      throw new ServiceError(
        'forbidden',
        'You are no longer allowed to create teams in this organization. Ask an admin.',
      )
    const ids = { organization: organization.doc.id, team: id }
    for (const [index, user] of (input.members ?? []).entries()) {
      await requireMember(tx, organization.doc.id, user, `/members/${index}`)
      if (user !== owner) await tx.insert(teamMembers, { ...ids, id: teamMemberId(id, user), user, role: 'member' })
    }
    if (owner !== null)
      await tx.insert(teamMembers, { ...ids, id: teamMemberId(id, owner), user: owner, role: 'owner' })
    await emit(app, tx, {
      type: 'team.created',
      organization: organization.doc.id,
      actor: actor.user.id,
      subject: { team: id },
      data: { title: input.title },
    })
    return tx.insert(teams, {
      id,
      organization: organization.doc.id,
      title: input.title,
      createdAt: app.clock.now().toISOString(),
    })
  })
  return { doc, role: 'admin' }
}

/** Throws 400, naming `path`, if the user is not a member of the organization. */
export async function requireMember(tx: Transaction, organization: string, user: string, path: string): Promise<void> {
  if (!(await tx.get(memberships, membershipId(organization, user))))
    throw badRequest('The user is not a member of the organization.', [
      { path, message: 'must be the ID of a member of this organization' },
    ])
}

/**
 * Returns the team as it is currently stored, or null if it was deleted in the meantime. Throws 403 if the caller may
 * not manage it.
 */
export async function managedTeam(tx: Transaction, actor: Actor, team: LoadedTeam): Promise<Document<TeamDoc> | null> {
  const doc = await tx.get(teams, team.doc.id)
  if (!doc) return null
  const teamMember = await tx.get(teamMembers, teamMemberId(doc.id, actor.user.id))
  const role = await organizationRole(tx, actor.user.id, doc.organization)
  if (role !== 'admin' && !(role !== undefined && teamMember?.role === 'owner'))
    throw new ServiceError('forbidden', 'You are no longer allowed to manage this team. Ask an owner or an admin.')
  return doc
}

/** Changes the title of a team. Throws 404 if it was deleted in the meantime. */
export async function renameTeam(app: App, actor: Actor, team: LoadedTeam, title: string): Promise<LoadedTeam> {
  const doc = await app.store.transact(async (tx) => {
    const stored = await managedTeam(tx, actor, team)
    if (!stored) throw notFound('The team')
    if (stored.title === title) return stored
    await emit(app, tx, teamEvent('team.updated', actor, stored, { title, previousTitle: stored.title }))
    return tx.replace(teams, { ...stored, title })
  })
  return { ...team, doc }
}

/** Deletes a team, its memberships and its roles. Its members stay in the organization. */
export async function deleteTeam(app: App, actor: Actor, team: LoadedTeam): Promise<void> {
  await app.store.transact(async (tx) => {
    const doc = await managedTeam(tx, actor, team)
    if (!doc) return
    for (const one of await tx.find(teamMembers, 'team', doc.id)) await tx.remove(teamMembers, one.id)
    for (const grant of await tx.find(grants, 'principal', `team:${doc.id}`)) await tx.remove(grants, grant.id)
    await removeKeptGrants(tx, doc.organization, `team:${doc.id}`)
    await tx.remove(teams, doc.id)
    await emit(app, tx, teamEvent('team.deleted', actor, doc, { title: doc.title }))
  })
}

/** Creates an event about a team. */
export const teamEvent = (
  type: 'team.updated' | 'team.deleted',
  actor: Actor,
  doc: Document<TeamDoc>,
  data: Record<string, unknown>,
): NewEvent => ({
  type,
  organization: doc.organization,
  actor: actor.user.id,
  subject: { team: doc.id },
  data,
})
