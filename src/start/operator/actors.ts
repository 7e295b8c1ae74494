/** Finds the users as whom the commands of the operator act, and the resources that they name. */
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedOrganization, LoadedSpace } from '../../domain/context/loaded.js'
import { findAccount } from '../../domain/accounts/accounts.js'
import { findOrganization, findSpace } from '../../domain/roles/access.js'
import { conflict, ServiceError } from '../../kernel/errors.js'
import { memberships, organizations, spaces, type UserDoc, users } from '../../model/index.js'
import type { Document } from '../../store/index.js'

/** The token of an operator, who is on the machine and has all rights of the user. */
const actorOf = (user: Document<UserDoc>): Actor => ({ user, token: { id: 'operator', readOnly: false } })

/** Returns the account of an address. Throws 404. */
export async function accountOf(app: App, email: string): Promise<Document<UserDoc>> {
  const user = await findAccount(app.store, email)
  if (user) return user
  throw new ServiceError(
    'not-found',
    `No account has the address ${email}. Check the spelling, or create one with \`bindery user ${email}\`.`,
  )
}

/** Returns the given account, or the admin of the organization who joined first. Throws 404, 409. */
export async function actorFor(app: App, organization: string, as: string | undefined): Promise<Actor> {
  if (as !== undefined) return actorOf(await accountOf(app, as))
  const members = await app.store.find(memberships, 'organization', organization)
  const admins = members
    .filter(({ role, disabled }) => role === 'admin' && !disabled)
    .sort((a, b) => (a.joinedAt < b.joinedAt ? -1 : 1))
  for (const { user } of admins) {
    const found = await app.store.get(users, user)
    if (found) return actorOf(found)
  }
  throw conflict(`Organization ${organization} has no active admin. Name a user with --as.`)
}

export interface ActedOrganization {
  actor: Actor
  organization: LoadedOrganization
}

/** The error for an organization that does not exist: 404. */
export const noOrganization = (id: string): ServiceError =>
  new ServiceError('not-found', `There is no organization ${id}. \`bindery org list\` lists them.`)

/** Opens an organization as a user. Throws 404. */
export async function openOrganization(app: App, id: string, as?: string): Promise<ActedOrganization> {
  if ((await app.store.get(organizations, id)) === null) throw noOrganization(id)
  const actor = await actorFor(app, id, as)
  const organization = await findOrganization(app, actor, id)
  if (organization) return { actor, organization }
  throw new ServiceError('not-found', `${actor.user.email} is not a member of organization ${id}.`)
}

/** Opens a space as a user. Throws 404. */
export async function openSpaceAs(
  app: App,
  id: string,
  { as, deleted = false }: { as?: string | undefined; deleted?: boolean },
): Promise<{ actor: Actor; space: LoadedSpace }> {
  const doc = await app.store.get(spaces, id)
  if (doc === null || (doc.deletedAt !== undefined && !deleted))
    throw new ServiceError('not-found', `There is no space ${id}. \`bindery space list\` lists them.`)
  const actor = await actorFor(app, doc.organization, as)
  const space = await findSpace(app, actor, id, { deleted })
  if (space) return { actor, space }
  throw new ServiceError('not-found', `${actor.user.email} cannot see space ${id}. Name another user with --as.`)
}
