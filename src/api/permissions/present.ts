/** Turns roles on a space, collection or site into the JSON that clients get. */
import { required } from '../../kernel/defined.js'
import type { App } from '../../domain/context/app.js'
import { aggregatePermissions, userOf } from '../../domain/roles/aggregate-permissions.js'
import type { PermissionTarget } from '../../domain/roles/access.js'
import { type GrantListing, listTeamGrants, listUserGrants } from '../../domain/roles/permissions.js'
import { type PageQuery, paginate, paginateSorted } from '../../kernel/paging.js'
import type { Role, TeamDoc, UserDoc } from '../../model/index.js'
import { formerUser, presentUser } from '../users/present.js'

const presentUserGrant = (app: App, { role, principal }: GrantListing<UserDoc>) => ({
  permission: role,
  user: presentUser(app, principal),
})

const presentTeamGrant = ({ role, principal: { id, title, createdAt } }: GrantListing<TeamDoc>) => ({
  permission: role,
  team: { object: 'team' as const, id, title, createdAt },
})

/** Returns a page of the users with a role on the target itself, by display name. */
export async function presentUserPermissions(app: App, target: PermissionTarget, query: PageQuery) {
  const page = paginate(await listUserGrants(app, target), query, ({ principal }) => [
    principal.displayName.toLowerCase(),
    principal.id,
  ])
  return { ...page, items: page.items.map((one) => presentUserGrant(app, one)) }
}

/** Returns a page of the teams with a role on the target itself, by title. */
export async function presentTeamPermissions(app: App, target: PermissionTarget, query: PageQuery) {
  const page = paginate(await listTeamGrants(app, target), query, ({ principal }) => [
    principal.title.toLowerCase(),
    principal.id,
  ])
  return { ...page, items: page.items.map(presentTeamGrant) }
}

/** Returns a page of all members with a role on the target, in the order of joining, with the sources of each role. */
export async function presentAggregatePermissions(
  app: App,
  target: PermissionTarget,
  query: PageQuery & { role?: Role },
) {
  const { all, aggregation } = await aggregatePermissions(app, target, query.role)
  const page = paginateSorted(all, query, ({ joinedAt, id }) => [joinedAt, id])
  const items = page.items.map(async (member) => {
    const [user, sources] = [await userOf(app, member), aggregation.sources(member)]
    return {
      permission: required(aggregation.role(member)),
      user: user ? presentUser(app, user) : formerUser(app, member.user),
      sources,
    }
  })
  return { ...page, items: await Promise.all(items) }
}
