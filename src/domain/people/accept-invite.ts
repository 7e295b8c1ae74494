/** Accepts invitations: makes the caller, or a new user, a member of the organization. */
import { hashToken } from '../../auth/index.js'
import { conflict, ServiceError } from '../../kernel/errors.js'
import {
  type AcceptInvite,
  type InviteDoc,
  invites,
  type MembershipDoc,
  membershipId,
  memberships,
  organizations,
  type UserDoc,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import {
  createLimitedUser,
  createUser,
  findAccount,
  findLimitedMember,
  type IssuedToken,
  issueToken,
} from '../accounts/accounts.js'
import { requiresSso } from '../roles/access.js'
import type { App } from '../context/app.js'
import { checkMemberQuota } from '../context/quotas.js'
import type { Actor } from '../context/actor.js'
import { emit } from '../events/events.js'
import { isAcceptable } from './invites.js'
import { newMembership } from './organizations.js'
import { defined, required } from '../../kernel/defined.js'

/** Lifetime in milliseconds of a token from an e-mail link. */
export const SESSION_MS = 30 * 24 * 60 * 60 * 1000

/** The membership of the accepting user, and a token if they were not signed in. */
interface Accepted {
  doc: Document<MembershipDoc>
  user: Document<UserDoc>
  issued: IssuedToken | null
}

const invalidInvite = () =>
  new ServiceError('not-found', 'The invitation does not exist, was revoked or has expired. Ask for a new one.')

/**
 * Accepts an invitation for the caller or, with an e-mail invitation, for a visitor who is not signed in.
 *
 * A link that was sent by mail proves ownership of the address and creates an account. A link that an admin passed on
 * proves nothing: it creates a user of that organization only, even if an account with the address exists. Existing
 * members keep their membership unchanged. If the same caller accepts again, the result is the same.
 *
 * Throws
 * - 404 if the invitation does not exist or is no longer valid;
 * - 403 if it is for another address, or the token is limited to another organization;
 * - 401 if the invitation names no address and there is no caller;
 * - 409 if another user has accepted it, or if the address belongs to an account (for a link by mail) or a member (for
 * another link). Also 409 if the caller is a user of a single organization who needs an account for a link by mail.
 */
export async function acceptInvite(app: App, actor: Actor | null, input: AcceptInvite): Promise<Accepted> {
  return app.store.transact(async (tx) => {
    const [invite] = await tx.find(invites, 'hash', hashToken(input.token))
    if (!invite) throw invalidInvite()
    const limit = actor?.token.organization
    if (limit !== undefined && limit !== invite.organization)
      throw new ServiceError(
        'forbidden',
        `Your token is limited to organization ${limit} and cannot join another one. Use a token without this limit.`,
      )
    if (invite.accepted) return acceptedBefore(tx, actor, invite, invite.accepted.user)
    if (!(await isAcceptable(app, tx, invite))) throw invalidInvite()
    const organization = required(await tx.get(organizations, invite.organization))
    // A user of a single organization who was removed a moment ago must not return with a link.
    if (
      actor?.user.limitedTo !== undefined &&
      !(await tx.get(memberships, membershipId(invite.organization, actor.user.id)))
    )
      throw invalidInvite()
    const user = actor ? checkAddress(actor, invite) : await newcomer(app, tx, invite, input)
    const doc = await join(app, tx, invite, user)
    if (invite.kind === 'email')
      await tx.replace(invites, { ...invite, accepted: { user: user.id, at: app.clock.now().toISOString() } })
    const issued = actor || requiresSso(organization, doc) ? null : await issueSession(app, tx, user)
    app.identify({ user: user.id, organization: doc.organization, ...(issued ? { token: issued.token.id } : {}) })
    return { doc, user, issued }
  })
}

async function acceptedBefore(
  tx: Transaction,
  actor: Actor | null,
  { organization }: InviteDoc,
  by: string,
): Promise<Accepted> {
  const doc = actor?.user.id === by ? await tx.get(memberships, membershipId(organization, by)) : null
  if (!actor || !doc) throw conflict('The invitation was already accepted. Ask for a new one.')
  return { doc, user: actor.user, issued: null }
}

function checkAddress({ user }: Actor, { kind, email }: InviteDoc): Document<UserDoc> {
  if (email !== undefined && email !== user.email)
    throw new ServiceError('forbidden', 'The invitation is for a different e-mail address.')
  // The caller claims the address without proof. The invitation by mail is for the user who proves ownership of it.
  if (kind === 'email' && user.limitedTo !== undefined)
    throw conflict('You are already a member. To get an account for the address, accept without your token.')
  return user
}

/**
 * Creates the user for a visitor who is not signed in: an account if the link came by mail, otherwise a user of the
 * organization only.
 */
async function newcomer(
  app: App,
  tx: Transaction,
  { email, mail, organization }: InviteDoc,
  { displayName }: AcceptInvite,
): Promise<Document<UserDoc>> {
  if (email === undefined)
    throw new ServiceError(
      'unauthenticated',
      'Sign in first, then accept the invitation. Without an account, request a sign-in link with this invitation (POST /v1/sign-in).',
    )
  const account = await findAccount(tx, email)
  const who = { email, ...defined({ displayName }) }
  if (mail !== undefined) {
    if (account) throw conflict('An account with this address exists. Sign in, then accept the invitation.')
    return createUser(app, { ...who, proof: 'mail' }, tx)
  }
  const member =
    (account && (await tx.get(memberships, membershipId(organization, account.id)))) ??
    (await findLimitedMember(tx, organization, email))
  if (member)
    throw conflict(
      'A member of the organization already has this address. Sign in, or ask an admin to remove that member and invite you again.',
    )
  return createLimitedUser(app, who, organization, tx)
}

/** Makes a user a member, unless they already are one. */
export async function join(
  app: App,
  tx: Transaction,
  invite: InviteDoc,
  user: Document<UserDoc>,
): Promise<Document<MembershipDoc>> {
  const { organization } = invite
  const present = await tx.get(memberships, membershipId(organization, user.id))
  if (present) return present
  await checkMemberQuota(tx, app.settings.quotas, organization)
  await emit(app, tx, {
    type: 'member.joined',
    organization,
    actor: user.id,
    subject: { user: user.id },
    data: { role: invite.role, invitedBy: invite.createdBy },
  })
  const member = newMembership(organization, user.id, invite.role, app.clock.now().toISOString())
  return tx.insert(memberships, invite.sso ? { ...member, sso: true, ssoLink: 'open' } : member)
}

/** Issues the new user's token. For a user of a single organization it is limited to that organization. */
function issueSession(app: App, tx: Transaction, { id, limitedTo }: Document<UserDoc>): Promise<IssuedToken> {
  const limit = limitedTo === undefined ? {} : { organization: limitedTo }
  const expiresAt = new Date(app.clock.now().getTime() + SESSION_MS).toISOString()
  return issueToken(app, id, { label: 'Invitation', expiresAt, byEmail: true, ...limit }, undefined, tx)
}
