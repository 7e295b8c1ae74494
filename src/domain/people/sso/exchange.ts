/** Exchanges the code of a single sign-on for a token: finds, links or creates the user. */
import { required } from '../../../kernel/defined.js'
import { hashToken } from '../../../auth/index.js'
import { conflict, ServiceError } from '../../../kernel/errors.js'
import {
  Email,
  type MembershipDoc,
  membershipId,
  memberships,
  type SamlProviderDoc,
  samlProviders,
  type SsoIdentityDoc,
  ssoIdentities,
  type SsoSignInDoc,
  ssoSignIns,
  teamMemberId,
  teamMembers,
  teams,
  type UserDoc,
} from '../../../model/index.js'
import type { Document, Transaction } from '../../../store/index.js'
import {
  createLimitedUser,
  findAccount,
  findLimitedMember,
  type IssuedToken,
  issueToken,
} from '../../accounts/accounts.js'
import type { App } from '../../context/app.js'
import { checkMemberQuota } from '../../context/quotas.js'
import { emit } from '../../events/events.js'
import { newMembership } from '../organizations.js'
import { endTokens, identityId, linkIdentity, writeIdentity } from './ties.js'

const ADDRESS = new RegExp(required(Email.pattern))
const denied = (message: string): ServiceError => new ServiceError('forbidden', message)

/** A sign-in and its provider as they are currently stored. */
interface PendingSignIn {
  signIn: Document<SsoSignInDoc>
  provider: Document<SamlProviderDoc>
}

/**
 * Finds the sign-in of a code. Null if there is none, it has expired, or its provider is gone or now has another entity
 * ID.
 */
export async function findSignIn(app: App, tx: Transaction, code: string): Promise<PendingSignIn | null> {
  const [signIn] = await tx.find(ssoSignIns, 'hash', hashToken(code))
  if (!signIn || Date.parse(signIn.expiresAt) <= app.clock.now().getTime()) return null
  const provider = await tx.get(samlProviders, signIn.provider)
  return provider && provider.entityID === signIn.issuer ? { signIn, provider } : null
}

/** Finds the identity of a sign-in, unless its user was removed. */
export async function findIdentity(tx: Transaction, signIn: SsoSignInDoc): Promise<Document<SsoIdentityDoc> | null> {
  const identity = await tx.get(ssoIdentities, identityId(signIn))
  return identity && !identity.removed ? identity : null
}

/**
 * Signs in with a code, which works once, and issues a token that is limited to the organization. Null if there is no
 * such code. If the sign-in is rejected, nothing changes and the code stays valid. Throws 403, 409.
 */
export async function exchangeCode(app: App, tx: Transaction, code: string): Promise<IssuedToken | null> {
  const current = await findSignIn(app, tx, code)
  if (!current) return null
  const { signIn, provider } = current
  await tx.remove(ssoSignIns, signIn.id)
  const known = await findIdentity(tx, signIn)
  const identity = known ? await checkEnabled(tx, known) : await firstSignIn(app, tx, current)
  const now = app.clock.now().getTime()
  await tx.replace(ssoIdentities, { ...identity, lastSignInAt: new Date(now).toISOString() })
  const ends = Math.min(
    now + app.settings.ssoSessionMs,
    signIn.sessionEnds === undefined ? Number.POSITIVE_INFINITY : Date.parse(signIn.sessionEnds),
  )
  if (ends <= now) throw denied('The session at the identity provider has ended. Sign in again.')
  const token = {
    label: `Single sign-on: ${provider.label}`.slice(0, 100),
    organization: signIn.organization,
    sso: { identity: identity.id },
    expiresAt: new Date(ends).toISOString(),
  }
  return issueToken(app, identity.user, token, undefined, tx)
}

async function checkEnabled(tx: Transaction, identity: Document<SsoIdentityDoc>): Promise<Document<SsoIdentityDoc>> {
  const member = await tx.get(memberships, membershipId(identity.organization, identity.user))
  if (!member || member.disabled)
    throw denied('An admin of the organization disabled your access. Ask an admin to enable it.')
  return identity
}

/**
 * Links a new identity to a member or a new user, as the table in docs/design/sso.md defines. An address alone decides
 * nothing.
 */
async function firstSignIn(
  app: App,
  tx: Transaction,
  { signIn, provider }: PendingSignIn,
): Promise<Document<SsoIdentityDoc>> {
  const { email, organization } = signIn
  if (email === null || email.length > 254 || !ADDRESS.test(email))
    throw denied(
      'The identity provider did not send exactly one valid e-mail address for you. An admin has to add the attribute "email" there.',
    )
  const holder = await findMemberByAddress(tx, organization, email)
  if (holder && holder.member.ssoLink === 'open' && holder.member.role !== 'admin') {
    if (holder.member.disabled)
      throw denied('An admin of the organization disabled your access. Ask an admin to enable it.')
    await endTokens(tx, organization, holder.user)
    return linkIdentity(app, tx, signIn, holder.member)
  }
  if (await tx.get(ssoIdentities, identityId(signIn)))
    throw denied(
      'You were removed from the organization. An admin can readmit you: with an invitation, or by forgetting your identity.',
    )
  if (holder)
    throw conflict(
      'A member of the organization has your e-mail address and has not used single sign-on before. If it is you, link your identity with your own token (POST /v1/user/sso-identities), or ask an admin to add you to single sign-on (POST …/members/{userId}/sso).',
    )
  return provision(app, tx, { signIn, provider }, email)
}

/** Finds the member with an address: the account that owns it, otherwise the user who claims it. */
async function findMemberByAddress(
  tx: Transaction,
  organization: string,
  email: string,
): Promise<{ user: Document<UserDoc>; member: Document<MembershipDoc> } | null> {
  const account = await findAccount(tx, email)
  const candidates = [account, await findLimitedMember(tx, organization, email)]
  for (const user of candidates) {
    const member = user && (await tx.get(memberships, membershipId(organization, user.id)))
    if (member) return { user, member }
  }
  return null
}

/** Creates a user of the organization only, with the provider's default role and team. */
async function provision(
  app: App,
  tx: Transaction,
  { signIn, provider }: PendingSignIn,
  email: string,
): Promise<Document<SsoIdentityDoc>> {
  const { organization, displayName } = signIn
  await checkMemberQuota(tx, app.settings.quotas, organization)
  const user = await createLimitedUser(
    app,
    { email, ...(displayName === null ? {} : { displayName }) },
    organization,
    tx,
  )
  const at = app.clock.now().toISOString()
  const member = newMembership(organization, user.id, provider.defaultRole, at)
  await tx.insert(memberships, { ...member, sso: true, ssoLink: 'linked' })
  const team = provider.defaultTeam === undefined ? null : await tx.get(teams, provider.defaultTeam)
  if (team)
    await tx.insert(teamMembers, {
      id: teamMemberId(team.id, user.id),
      organization,
      team: team.id,
      user: user.id,
      role: 'member',
    })
  const data = { role: provider.defaultRole, samlProvider: provider.id, ...(team ? { team: team.id } : {}) }
  await emit(app, tx, { type: 'member.joined', organization, actor: user.id, subject: { user: user.id }, data })
  return writeIdentity(app, tx, signIn, user.id)
}
