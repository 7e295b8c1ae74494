/** Lists the spaces and teams of a member. */
import { required } from '../../kernel/defined.js'
import { type Page, type PageQuery, paginate } from '../../kernel/paging.js'
import { type Role, teamMembers, teams } from '../../model/index.js'
import { viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { ListedSpace, LoadedOrganization } from '../context/loaded.js'
import type { LoadedMember } from './members.js'
import { loadSpaceAccess } from '../roles/space-access.js'
import { openSpaces } from '../spaces/spaces.js'
import { type CountedTeam, countTeams, roleOnTeam } from './teams.js'

/**
 * Lists a page of the spaces that both the member and the caller may see. Each item has the member's role and is opened
 * with the caller's role.
 */
export async function listMemberSpaces(
  app: App,
  actor: Actor,
  { doc: { organization }, user }: LoadedMember,
  query: PageQuery & { order: 'asc' | 'desc' },
): Promise<Page<{ permission: Role; space: ListedSpace }>> {
  const access = await loadSpaceAccess(app.store, organization)
  const theirs = await access.visibleTo(await viewerOf(app.store, user.id, organization))
  const callersRoles = new Map(
    (await access.visibleTo(await viewerOf(app.store, actor.user.id, organization))).map(({ space, role }) => [
      space.id,
      role,
    ]),
  )
  const shared = theirs.flatMap(({ space, role: permission }) => {
    const role = callersRoles.get(space.id)
    return role === undefined ? [] : [{ doc: space, role, permission }]
  })
  const page = paginate(shared, query, ({ doc }) => [doc.createdAt, doc.id], query.order)
  const opened = await openSpaces(app, page.items)
  return {
    ...page,
    items: opened.map((space, index) => ({ permission: required(page.items[index]?.permission), space })),
  }
}

/** Lists a page of a member's teams, with the member's role in each. */
export async function listMemberTeams(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  { user }: LoadedMember,
  query: PageQuery & { title?: string },
): Promise<Page<{ team: CountedTeam; role: 'owner' | 'member' }>> {
  const needle = query.title?.toLowerCase()
  const inTeams = await app.store.find(teamMembers, 'user', `${organization.doc.id}/${user.id}`)
  const found = await Promise.all(
    inTeams.map(async ({ team, role }) => ({ role, doc: await app.store.get(teams, team) })),
  )
  const matching = found.flatMap(({ role, doc }) =>
    doc && (needle === undefined || doc.title.toLowerCase().includes(needle)) ? [{ role, doc }] : [],
  )
  const page = paginate(matching, query, ({ doc }) => [doc.createdAt, doc.id])
  const seen = await Promise.all(
    page.items.map(async ({ doc }) => ({ doc, role: await roleOnTeam(app, actor, organization, doc.id) })),
  )
  const counted = await countTeams(app, organization.doc.id, seen)
  return { ...page, items: counted.map((team, index) => ({ team, role: page.items[index]?.role ?? 'member' })) }
}
