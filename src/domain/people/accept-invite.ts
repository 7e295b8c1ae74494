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
  type OrganizationDoc,
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
import type { Actor } from '../context/actor.js'
import { emit } from '../events/events.js'
import { isAcceptable } from './invites.js'
import { newMembership } from './organizations.js'

/** How long a token from an e-mail link is valid. */
export const SESSION_MS = 30 * 24 * 60 * 60 * 1000

/** The membership of whoever accepted, and a token if they were not signed in. */
interface Accepted {
  doc: Document<MembershipDoc>
  user: Document<UserDoc>
  issued: IssuedToken | null
}

const gone = () =>
  new ServiceError('not-found', 'The invitation does not exist, was revoked or has expired: ask for a new one.')

/**
 * Accepts an invitation: by the caller or, for an e-mail invitation, by somebody who is not signed in.
 *
 * A link that was sent by mail proves who owns the address, and creates an account. A link that an admin passed on proves
 * nothing: it creates a user of that organization alone, even if somebody has an account with the address. Existing members
 * keep their membership as it is. When the same caller accepts again, they get the same result.
 *
 * Throws
 * - 404 if the invitation does not exist or is no longer valid;
 * - 403 if it is for another address, or the token is limited to another organization;
 * - 401 if the invitation names no address and there is no caller;
 * - 409 if somebody else has accepted it, an account (for a link by mail) or a member (for another link) has the address
 *   already, or the caller is a user of a single organization who needs an account for a link by mail.
 */
export async function acceptInvite(app: App, actor: Actor | null, input: AcceptInvite): Promise<Accepted> {
  return app.store.transact(async (tx) => {
    const [invite] = await tx.find(invites, 'hash', hashToken(input.token))
    if (!invite) throw gone()
    const limit = actor?.token.organization
    if (limit !== undefined && limit !== invite.organization)
      throw new ServiceError('forbidden', `Your token is limited to organization ${limit}: it cannot join another one.`)
    if (invite.accepted) return acceptedBefore(tx, actor, invite, invite.accepted.user)
    if (!(await isAcceptable(app, tx, invite))) throw gone()
    const organization = (await tx.get(organizations, invite.organization)) as Document<OrganizationDoc>
    // A user of a single organization who was removed a moment ago must not come back by a link.
    if (
      actor?.user.limitedTo !== undefined &&
      !(await tx.get(memberships, membershipId(invite.organization, actor.user.id)))
    )
      throw gone()
    const user = actor ? checkAddress(actor, invite) : await newcomer(app, tx, invite, input)
    const doc = await join(app, tx, invite, user)
    if (invite.kind === 'email')
      await tx.replace(invites, { ...invite, accepted: { user: user.id, at: app.clock.now().toISOString() } })
    const issued = actor || requiresSso(organization, doc) ? null : await issueSession(app, tx, user)
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
  if (!actor || !doc) throw conflict('The invitation has been accepted already.')
  return { doc, user: actor.user, issued: null }
}

function checkAddress({ user }: Actor, { kind, email }: InviteDoc): Document<UserDoc> {
  if (email !== undefined && email !== user.email)
    throw new ServiceError('forbidden', 'The invitation is for another e-mail address than yours.')
  // The caller claims the address without proof; the invitation by mail is for whoever proves that they own it.
  if (kind === 'email' && user.limitedTo !== undefined)
    throw conflict('You are a member already. To get an account for the address, accept without your token.')
  return user
}

/** Creates the user for somebody who is not signed in: an account if the link came by mail, else a user of the organization alone. */
async function newcomer(
  app: App,
  tx: Transaction,
  { email, mail, organization }: InviteDoc,
  { displayName }: AcceptInvite,
): Promise<Document<UserDoc>> {
  if (email === undefined)
    throw new ServiceError(
      'unauthenticated',
      'Sign in first, then accept; without an account, ask for a sign-in link with this invitation (POST /v1/sign-in).',
    )
  const account = await findAccount(tx, email)
  const who = { email, ...(displayName === undefined ? {} : { displayName }) }
  if (mail !== undefined) {
    if (account) throw conflict('There is an account with this address: sign in, then accept the invitation.')
    return createUser(app, { ...who, proof: 'mail' }, tx)
  }
  const member =
    (account && (await tx.get(memberships, membershipId(organization, account.id)))) ??
    (await findLimitedMember(tx, organization, email))
  if (member)
    throw conflict(
      'A member of the organization has this address already: sign in, or ask an admin to remove that member and invite you again.',
    )
  return createLimitedUser(app, who, organization, tx)
}

/** Makes a user a member, unless they are one. */
export async function join(
  app: App,
  tx: Transaction,
  invite: InviteDoc,
  user: Document<UserDoc>,
): Promise<Document<MembershipDoc>> {
  const { organization } = invite
  const present = await tx.get(memberships, membershipId(organization, user.id))
  if (present) return present
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

/** Issues the new user's token. For a user of a single organization it is limited to that one. */
function issueSession(app: App, tx: Transaction, { id, limitedTo }: Document<UserDoc>): Promise<IssuedToken> {
  const limit = limitedTo === undefined ? {} : { organization: limitedTo }
  const expiresAt = new Date(app.clock.now().getTime() + SESSION_MS).toISOString()
  return issueToken(app, id, { label: 'Invitation', expiresAt, byEmail: true, ...limit }, undefined, tx)
}
