import { Type } from '@sinclair/typebox'
import { aggregatePermissions, userOf } from '../../domain/roles/aggregate-permissions.js'
import type { App } from '../../domain/context/app.js'
import type { PermissionTarget } from '../../domain/roles/access.js'
import { type Given, listTeamGrants, listUserGrants } from '../../domain/roles/permissions.js'
import { type PageQuery, paginate, paginateSorted } from '../../kernel/paging.js'
import { oneOf, pageQuery, type Role, roles, type TeamDoc, type UserDoc } from '../../model/index.js'
import { formerUser, presentUser } from '../users/present.js'

const presentUserGrant = (app: App, { role, principal }: Given<UserDoc>) => ({ permission: role, user: presentUser(app, principal) })

const presentTeamGrant = ({ role, principal: { id, title, createdAt } }: Given<TeamDoc>) => ({
  permission: role,
  team: { object: 'team' as const, id, title, createdAt },
})

/** The page of users with a role of their own on the target, by name. */
export async function answerUserPermissions(app: App, target: PermissionTarget, query: PageQuery) {
  const page = paginate(await listUserGrants(app, target), query, ({ principal }) => [principal.displayName.toLowerCase(), principal.id])
  return { ...page, items: page.items.map((one) => presentUserGrant(app, one)) }
}

/** The page of teams with a role of their own on the target, by title. */
export async function answerTeamPermissions(app: App, target: PermissionTarget, query: PageQuery) {
  const page = paginate(await listTeamGrants(app, target), query, ({ principal }) => [principal.title.toLowerCase(), principal.id])
  return { ...page, items: page.items.map(presentTeamGrant) }
}

export const aggregateQuery = Type.Object({
  ...pageQuery,
  role: Type.Optional(oneOf(roles, { description: 'Only those who have at least this role.' })),
})

/** The page of everybody with a role on the target, by joining, and what each role comes from. */
export async function answerAggregate(app: App, target: PermissionTarget, query: PageQuery & { role?: Role }) {
  const { all, aggregation } = await aggregatePermissions(app, target, query.role)
  const page = paginateSorted(all, query, ({ joinedAt, id }) => [joinedAt, id])
  const items = page.items.map(async (member) => {
    const [user, sources] = [await userOf(app, member), aggregation.sources(member)]
    return { permission: aggregation.role(member) as Role, user: user ? presentUser(app, user) : formerUser(app, member.user), sources }
  })
  return { ...page, items: await Promise.all(items) }
}
