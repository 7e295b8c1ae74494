/** Links, lists and deletes single sign-on identities, and exempts members from single sign-on. */
import { conflict, notFound, ServiceError } from '../../../kernel/errors.js'
import { type Page, type PageQuery, pageOf } from '../../../kernel/paging.js'
import {
  membershipId,
  memberships,
  type SamlProviderDoc,
  type SsoIdentityDoc,
  ssoIdentities,
  ssoSignIns,
} from '../../../model/index.js'
import type { Document } from '../../../store/index.js'
import type { Actor } from '../../context/actor.js'
import type { App } from '../../context/app.js'
import { emit } from '../../events/events.js'
import { requireAdmin } from '../admins.js'
import type { LoadedMember } from '../members.js'
import { findIdentity, findSignIn } from './exchange.js'
import { linkIdentity, unlinkIdentity } from './ties.js'

/**
 * Links the identity of a sign-in to the caller. The code proves that they control the identity, and their token that
 * they are the member. The token may be one that single sign-on is about to reject. Throws 404 for the code, 403 if
 * they are not a member of its organization or the token is limited to another one, and 409 if the identity belongs to
 * another member.
 */
export async function linkOwnIdentity(app: App, actor: Actor, code: string): Promise<Document<SsoIdentityDoc>> {
  return app.store.transact(async (tx) => {
    const current = await findSignIn(app, tx, code)
    if (!current)
      throw new ServiceError(
        'not-found',
        'The code does not exist, was already used or has expired. Sign in at the provider again.',
      )
    const { signIn } = current
    const member = await tx.get(memberships, membershipId(signIn.organization, actor.user.id))
    if (!member || member.disabled || (actor.token.organization ?? signIn.organization) !== signIn.organization)
      throw new ServiceError(
        'forbidden',
        'This token gives no access to the organization of this sign-in. Use a token of one of its members that is not limited to another organization.',
      )
    const known = await findIdentity(tx, signIn)
    if (known && known.user !== actor.user.id)
      throw conflict('Another member signs in with this identity. An admin has to forget it first.')
    await tx.remove(ssoSignIns, signIn.id)
    app.identify({ organization: signIn.organization })
    return known ?? linkIdentity(app, tx, signIn, member, actor.user.id)
  })
}

/** Lists a page of a provider's identities, newest first. */
export const listIdentities = (
  app: App,
  provider: Document<SamlProviderDoc>,
  query: PageQuery,
): Promise<Page<Document<SsoIdentityDoc>>> => pageOf(app.store, ssoIdentities, 'createdAt', provider.id, query)

/** Finds an identity of a provider. Null if there is none. */
export async function findIdentityOf(
  app: App,
  provider: Document<SamlProviderDoc>,
  id: string,
): Promise<Document<SsoIdentityDoc> | null> {
  const doc = await app.store.get(ssoIdentities, id)
  return doc?.provider === provider.id ? doc : null
}

/** Forgets an identity. Its sessions end at once, and a later sign-in with it counts as a new user. */
export async function forgetIdentity(app: App, actor: Actor, { id }: Document<SsoIdentityDoc>): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(ssoIdentities, id)
    if (!stored) return
    await unlinkIdentity(tx, stored)
    const member = await tx.get(memberships, membershipId(stored.organization, stored.user))
    if (!member) return
    const { organization, user, role } = member
    const data = { changed: ['ssoIdentity'], role, previousRole: role, samlProvider: stored.provider }
    await emit(app, tx, { type: 'member.updated', organization, actor: actor.user.id, subject: { user }, data })
  })
}

/** Exempts a member from single sign-on: removes the requirement and their identities. Throws 403, 404. */
export async function removeMemberFromSso(app: App, actor: Actor, { doc: { id } }: LoadedMember): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(memberships, id)
    if (!stored) throw notFound('The member')
    const { organization, user, role } = stored
    await requireAdmin(tx, actor, organization)
    for (const one of await tx.find(ssoIdentities, 'user', `${organization}/${user}`))
      await tx.remove(ssoIdentities, one.id)
    if (!stored.sso && stored.ssoLink === undefined) return
    const { ssoLink: _, ...rest } = stored
    await tx.replace(memberships, { ...rest, sso: false })
    const data = { changed: ['sso'], role, previousRole: role }
    await emit(app, tx, { type: 'member.updated', organization, actor: actor.user.id, subject: { user }, data })
  })
}
