/** Links single sign-on identities to members, and unlinks them. */
import { createHash } from 'node:crypto'
import {
  type MembershipDoc,
  membershipId,
  memberships,
  type SsoIdentityDoc,
  ssoIdentities,
  type SsoSignInDoc,
  ssoTokenId,
  ssoTokens,
  tokens,
  type UserDoc,
} from '../../../model/index.js'
import type { Document, Transaction } from '../../../store/index.js'
import type { App } from '../../context/app.js'
import { emit } from '../../events/events.js'
import { isLastResort, requireOtherAdmin } from '../admins.js'
import { defined } from '../../../kernel/defined.js'

/**
 * Returns the ID of an identity: a digest of the provider (which implies the organization), the identity provider's
 * entity ID and the NameID.
 */
export const identityId = ({
  provider,
  issuer,
  nameId,
}: Pick<SsoIdentityDoc, 'provider' | 'issuer' | 'nameId'>): string =>
  createHash('sha256')
    .update(JSON.stringify([provider, issuer, nameId]))
    .digest('hex')

/** Assigns the identity of a sign-in to a user. It replaces any other identity of theirs at the provider. */
export async function writeIdentity(
  app: App,
  tx: Transaction,
  signIn: SsoSignInDoc,
  user: string,
): Promise<Document<SsoIdentityDoc>> {
  const { organization, provider, issuer, nameId } = signIn
  const id = identityId(signIn)
  for (const other of await tx.find(ssoIdentities, 'user', `${organization}/${user}`))
    if (other.provider === provider && other.id !== id) await tx.remove(ssoIdentities, other.id)
  const now = app.clock.now().toISOString()
  const doc = { id, organization, provider, issuer, nameId, user, createdAt: now }
  const stored = await tx.get(ssoIdentities, id)
  return stored ? tx.replace(ssoIdentities, { ...doc, version: stored.version }) : tx.insert(ssoIdentities, doc)
}

/**
 * Links the identity of a sign-in to a member. Throws 409 if the last admin who can repair single sign-on would then
 * need it.
 * @param by ID of the user who did it; absent if it was the sign-in of a member whom an admin had added
 */
export async function linkIdentity(
  app: App,
  tx: Transaction,
  signIn: SsoSignInDoc,
  member: Document<MembershipDoc>,
  by?: string,
): Promise<Document<SsoIdentityDoc>> {
  const next = { ...member, ssoLink: 'linked' as const }
  if (isLastResort(member) && !isLastResort(next)) await requireOtherAdmin(tx, member)
  const { organization, user, role } = member
  const data = { changed: ['ssoIdentity'], role, previousRole: role, samlProvider: signIn.provider }
  await emit(app, tx, {
    type: 'member.updated',
    organization,
    ...defined({ actor: by }),
    subject: { user },
    data,
  })
  await tx.replace(memberships, next)
  return writeIdentity(app, tx, signIn, user)
}

/** Removes the tokens of a user that work in the organization only, except those that an admin has named. */
export async function endTokens(tx: Transaction, organization: string, user: Document<UserDoc>): Promise<void> {
  for (const token of await tx.find(tokens, 'user', user.id)) {
    const isOwn = token.organization === organization || user.limitedTo === organization
    if (isOwn && !(await tx.get(ssoTokens, ssoTokenId(organization, token.id)))) await tx.remove(tokens, token.id)
  }
}

/** Removes an identity. A member without other identities is no longer linked. */
export async function unlinkIdentity(
  tx: Transaction,
  { id, organization, user }: Document<SsoIdentityDoc>,
): Promise<void> {
  await tx.remove(ssoIdentities, id)
  if ((await tx.count(ssoIdentities, 'user', `${organization}/${user}`)) > 0) return
  const member = await tx.get(memberships, membershipId(organization, user))
  if (member?.ssoLink !== 'linked') return
  const { ssoLink: _, ...rest } = member
  await tx.replace(memberships, rest)
}
