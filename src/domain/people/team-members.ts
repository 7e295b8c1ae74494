/** Lists and changes the members of a team. */
import { required } from '../../kernel/defined.js'
import { badRequest, notFound } from '../../kernel/errors.js'
import { type Page, pageOf, type PageQuery } from '../../kernel/paging.js'
import {
  type SetTeamMembers,
  type TeamMemberDoc,
  teamMemberId,
  teamMembers,
  type UserDoc,
  users,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedTeam } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { managedTeam, requireMember, teamEvent } from './teams.js'

/** Lists a page of a team's members, by user ID. */
export async function listTeamMembers(
  app: App,
  team: LoadedTeam,
  query: PageQuery,
): Promise<Page<{ role: TeamMemberDoc['role']; user: Document<UserDoc> }>> {
  const page = await pageOf(app.store, teamMembers, 'user', team.doc.id, query)
  return {
    ...page,
    items: await Promise.all(
      page.items.map(async ({ role, user }) => ({
        role,
        user: required(await app.store.get(users, user)),
      })),
    ),
  }
}

/**
 * Adds and removes members of a team and sets their roles, in one transaction. Adding a member again, or removing a
 * user who is not in the team, changes nothing. Throws 400 for a user who is not a member of the organization, or who
 * is both kept and removed.
 */
export async function setTeamMembers(app: App, actor: Actor, team: LoadedTeam, input: SetTeamMembers): Promise<void> {
  const { add = [], remove = [], memberships: roles = {} } = input
  const kept = new Map<string, string>([...add.entries()].map(([index, user]) => [user, `/add/${index}`]))
  for (const user of Object.keys(roles)) kept.set(user, `/memberships/${user}`)
  const twice = remove.findIndex((user) => kept.has(user))
  if (twice >= 0)
    throw badRequest('A user is listed both to be kept and to be removed. List each user once.', [
      { path: `/remove/${twice}`, message: 'must not be listed in add or memberships too' },
    ])
  await app.store.transact(async (tx) => {
    const doc = await managedTeam(tx, actor, team)
    if (!doc) throw notFound('The team')
    const counts = { added: 0, changed: 0, removed: 0 }
    for (const [user, path] of kept) {
      await requireMember(tx, doc.organization, user, path)
      const id = teamMemberId(doc.id, user)
      const stored = await tx.get(teamMembers, id)
      const role = Object.hasOwn(roles, user) ? roles[user] : stored?.role
      if (!stored) {
        await tx.insert(teamMembers, { id, organization: doc.organization, team: doc.id, user, role: role ?? 'member' })
        counts.added++
      } else if (role !== undefined && stored.role !== role) {
        await tx.replace(teamMembers, { ...stored, role })
        counts.changed++
      }
    }
    for (const user of remove) if (await tx.remove(teamMembers, teamMemberId(doc.id, user))) counts.removed++
    if (counts.added + counts.changed + counts.removed > 0)
      await emit(app, tx, teamEvent('team.updated', actor, doc, counts))
  })
}
