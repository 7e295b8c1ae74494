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
import { createLimitedUser, createUser, findAccount, findLimitedMember, type IssuedToken, issueToken } from '../accounts/accounts.js'
import { requiresSso } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import { emit } from '../events/events.js'
import { isGood } from './invites.js'
import { newMembership } from './organizations.js'

/** How long a token lasts that came by a link. */
export const SESSION_MS = 30 * 24 * 60 * 60 * 1000

/** A place in an organization, and a token for who had no account. */
export interface Accepted {
  doc: Document<MembershipDoc>
  user: Document<UserDoc>
  issued: IssuedToken | null
}

const gone = () => new ServiceError('not-found', 'The invitation does not exist, was taken back or has expired: ask for a new one.')

/**
 * Accepts an invitation, once: by the caller, or, of an e-mail invitation, by somebody who is not signed in. A link that came
 * by mail has shown whose the address is, and makes an account. One that was in an answer shows nothing: whoever opens it is a
 * user of that organization alone, whatever accounts the address has. A second time, the same caller gets the same answer,
 * anybody else 409. Who is a member already stays what he is. Throws 404, 403 where it is for another address or the token is
 * limited to another organization, 401 where one has to sign in first because the link says nothing of who he is, 409 where
 * the address that is shown has an account, or the one that is not a member.
 */
export async function acceptInvite(app: App, actor: Actor | null, input: AcceptInvite): Promise<Accepted> {
  return app.store.transact(async (tx) => {
    const [invite] = await tx.find(invites, 'hash', hashToken(input.token))
    if (!invite) throw gone()
    const limit = actor?.token.organization
    if (limit !== undefined && limit !== invite.organization)
      throw new ServiceError('forbidden', `Your token is limited to organization ${limit}: it cannot join another one.`)
    if (invite.accepted) return acceptedBefore(tx, actor, invite, invite.accepted.user)
    if (!(await isGood(app, tx, invite))) throw gone()
    const organization = (await tx.get(organizations, invite.organization)) as Document<OrganizationDoc>
    // Only a member may have such a user; one who was removed a moment ago does not come back by a link.
    if (actor?.user.limitedTo !== undefined && !(await tx.get(memberships, membershipId(invite.organization, actor.user.id)))) throw gone()
    const user = actor ? checkAddress(actor, invite) : await newcomer(app, tx, invite, input)
    const doc = await join(app, tx, invite, user)
    if (invite.kind === 'email') await tx.replace(invites, { ...invite, accepted: { user: user.id, at: app.clock.now().toISOString() } })
    const issued = actor || requiresSso(organization, doc) ? null : await issueSession(app, tx, user)
    return { doc, user, issued }
  })
}

async function acceptedBefore(tx: Transaction, actor: Actor | null, { organization }: InviteDoc, by: string): Promise<Accepted> {
  const doc = actor?.user.id === by ? await tx.get(memberships, membershipId(organization, by)) : null
  if (!actor || !doc) throw conflict('The invitation has been accepted already.')
  return { doc, user: actor.user, issued: null }
}

function checkAddress({ user }: Actor, { kind, email }: InviteDoc): Document<UserDoc> {
  if (email !== undefined && email !== user.email) throw new ServiceError('forbidden', 'The invitation is for another e-mail address than yours.')
  // He is a member, by a link that did not come by mail; this invitation is for whoever shows that the address is his.
  if (kind === 'email' && user.limitedTo !== undefined)
    throw conflict('You are a member already. Accept without your token to get an account of its own for the address.')
  return user
}

/** Who is not signed in: an account where the link has shown whose the address is, else a user of the organization alone. */
async function newcomer(app: App, tx: Transaction, { email, mail, organization }: InviteDoc, { displayName }: AcceptInvite): Promise<Document<UserDoc>> {
  if (email === undefined)
    throw new ServiceError('unauthenticated', 'Sign in first, then accept; without an account, ask for a sign-in link with this invitation (POST /v1/sign-in).')
  const account = await findAccount(tx, email)
  const who = { email, ...(displayName === undefined ? {} : { displayName }) }
  if (mail !== undefined) {
    if (account) throw conflict('There is an account with this address: sign in, then accept the invitation.')
    return createUser(app, { ...who, proof: 'mail' }, tx)
  }
  const member = (account && (await tx.get(memberships, membershipId(organization, account.id)))) ?? (await findLimitedMember(tx, organization, email))
  if (member) throw conflict('A member of the organization has this address: sign in, or ask an admin to remove that member and to invite you again.')
  return createLimitedUser(app, who, organization, tx)
}

/** Makes somebody a member, unless he is one. */
export async function join(app: App, tx: Transaction, invite: InviteDoc, user: Document<UserDoc>): Promise<Document<MembershipDoc>> {
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
  return tx.insert(memberships, { ...newMembership(organization, user.id, invite.role, app.clock.now().toISOString()), sso: invite.sso })
}

/** The newcomer's token; of a user of one organization it opens that one alone. */
function issueSession(app: App, tx: Transaction, { id, limitedTo }: Document<UserDoc>): Promise<IssuedToken> {
  const limit = limitedTo === undefined ? {} : { organization: limitedTo }
  const expiresAt = new Date(app.clock.now().getTime() + SESSION_MS).toISOString()
  return issueToken(app, id, { label: 'Invitation', expiresAt, byEmail: true, ...limit }, undefined, tx)
}
