// Manages e-mail invitations to an organization.
import { hashToken, newToken } from '../../auth/index.js'
import { allows } from '../../access/index.js'
import { badRequest, conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import {
  type InviteDoc,
  type InviteUsers,
  invites,
  membershipId,
  memberships,
  organizations,
} from '../../model/index.js'
import type { Document, Draft, Reader, Transaction } from '../../store/index.js'
import { organizationRole } from '../roles/access.js'
import type { App } from '../context/app.js'
import { checkMemberQuota } from '../context/quotas.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { findAccount, findLimitedMember } from '../accounts/accounts.js'
import { queueMail } from '../notifications/queue-mail.js'

/** Lifetime of an e-mail invitation in milliseconds. */
const INVITE_MS = 7 * 24 * 60 * 60 * 1000

/**
 * Minimum time between two mails of an organization to an address. Inviting again before that only changes the
 * invitation.
 */
const MAIL_AGAIN_MS = 60 * 1000

/** An invitation. `secret` is the secret of its link, which is returned only once, when it is created. */
export interface IssuedInvite {
  doc: Document<InviteDoc>
  secret?: string
}

/** The result of an invitation request. */
interface InviteResult {
  /** IDs of the users who are already members. */
  users: string[]
  invites: IssuedInvite[]
}

/**
 * Invites addresses: by mail if a mail server is configured, otherwise with links that are returned. Members are listed
 * and not invited again. A new invitation replaces an earlier one for the same address. The result must not reveal
 * whether an address has an account on the service. Throws 400, and 403 if the caller is no longer an admin.
 */
export async function inviteUsers(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: InviteUsers,
): Promise<InviteResult> {
  const emails = input.emails.map((email) => email.toLowerCase())
  const twice = emails.findIndex((email, index) => emails.indexOf(email) !== index)
  if (twice >= 0)
    throw badRequest('An address is listed twice.', [{ path: `/emails/${twice}`, message: 'must be listed only once' }])
  const invited = await app.store.transact(async (tx) => {
    const { id, defaultRole } = await requireInviter(tx, actor, organization)
    const request = {
      role: input.role === undefined ? defaultRole : input.role,
      sso: input.sso ?? false,
      createdBy: actor.user.id,
    }
    const result: InviteResult = { users: [], invites: [] }
    for (const email of emails) {
      const member = await memberOf(app, tx, id, email)
      if (member !== null) result.users.push(member)
      else {
        await checkMemberQuota(tx, app.settings.quotas, id)
        result.invites.push(await inviteOne(app, tx, { organization: id, email, ...request }))
      }
    }
    return result
  })
  app.wakes.jobs()
  return invited
}

/**
 * Returns the ID of the member with an address: the account that owns it. Without a mail server, it may also be the
 * member who claims it without proof. With a mail server such a member is ignored, since the mail creates the account
 * that owns the address.
 */
async function memberOf(app: App, tx: Transaction, organization: string, email: string): Promise<string | null> {
  const account = await findAccount(tx, email)
  if (account && (await tx.get(memberships, membershipId(organization, account.id)))) return account.id
  return app.mail ? null : ((await findLimitedMember(tx, organization, email))?.id ?? null)
}

type InviteRequest = Pick<InviteDoc, 'organization' | 'role' | 'sso' | 'createdBy'> & { email: string }

async function inviteOne(app: App, tx: Transaction, request: InviteRequest): Promise<IssuedInvite> {
  const now = app.clock.now()
  const before = await tx.find(invites, 'email', `${request.organization}/${request.email}`)
  const mailed = before.find(
    (old) => old.mail !== undefined && isOpen(app, old) && now.getTime() - Date.parse(old.createdAt) < MAIL_AGAIN_MS,
  )
  if (app.mail && mailed) return { doc: await tx.replace(invites, { ...mailed, ...request }) }
  for (const old of before) await tx.remove(invites, old.id)
  const expiresAt = new Date(now.getTime() + INVITE_MS).toISOString()
  const draft: Draft<InviteDoc> = { ...request, id: newId(), kind: 'email', createdAt: now.toISOString(), expiresAt }
  if (!app.mail) {
    const secret = newToken()
    return { doc: await tx.insert(invites, { ...draft, hash: hashToken(secret) }), secret }
  }
  const doc = await tx.insert(invites, { ...draft, mail: 'queued' })
  await queueMail(app, tx, { mail: 'invite', invite: doc.id })
  return { doc }
}

/**
 * Returns the organization as it is currently stored. Throws 403 unless the caller is an admin (who can give any role),
 * 404.
 */
export async function requireInviter(tx: Transaction, actor: Actor, organization: LoadedOrganization) {
  const doc = await tx.get(organizations, organization.doc.id)
  if (!doc) throw notFound('The organization')
  if (!allows('organization:admin', await organizationRole(tx, actor.user.id, doc.id)))
    throw new ServiceError('forbidden', 'Only an admin of the organization may invite people.')
  return doc
}

/**
 * Whether an invitation can be accepted now. Its creator must still be an admin: otherwise a removed admin could return
 * with their own link.
 */
export async function isAcceptable(app: App, reader: Reader, invite: InviteDoc): Promise<boolean> {
  if (invite.expiresAt !== undefined && Date.parse(invite.expiresAt) <= app.clock.now().getTime()) return false
  const organization = await reader.get(organizations, invite.organization)
  if (!organization || (invite.kind === 'link' && !organization.inviteLinks)) return false
  return allows('organization:admin', await organizationRole(reader, invite.createdBy, invite.organization))
}

/** Lists the open e-mail invitations of an organization. */
export async function listInvites(app: App, organization: LoadedOrganization): Promise<Document<InviteDoc>[]> {
  const all = await app.store.find(invites, 'organization', `${organization.doc.id}/email`)
  return all.filter((invite) => isOpen(app, invite))
}

/** Whether an invitation is neither accepted nor expired. */
export const isOpen = (app: App, { accepted, expiresAt }: InviteDoc): boolean =>
  accepted === undefined && (expiresAt === undefined || Date.parse(expiresAt) > app.clock.now().getTime())

/** Finds an open invitation of the organization. Null if there is none. */
export async function findInvite(
  app: App,
  organization: LoadedOrganization,
  kind: InviteDoc['kind'],
  id: string,
): Promise<Document<InviteDoc> | null> {
  const doc = await app.store.get(invites, id)
  return doc && doc.organization === organization.doc.id && doc.kind === kind && isOpen(app, doc) ? doc : null
}

/**
 * Sends an invitation again with a new link for seven days. The previous link becomes invalid. The caller becomes the
 * inviter. Throws 403 if they are no longer an admin, 404 if it was revoked or accepted in the meantime, and 409 if its
 * last mail is less than a minute old.
 */
export async function resendInvite(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  invite: Document<InviteDoc>,
): Promise<IssuedInvite> {
  const resent = await app.store.transact(async (tx) => {
    await requireInviter(tx, actor, organization)
    const stored = await tx.get(invites, invite.id)
    if (!stored?.email || !isOpen(app, stored)) throw notFound('The invitation')
    const now = app.clock.now()
    if (
      app.mail &&
      stored.mail !== undefined &&
      now.getTime() - Date.parse(stored.sentAt ?? stored.createdAt) < MAIL_AGAIN_MS
    )
      throw conflict('The invitation was mailed less than a minute ago. Wait a minute, then send it again.')
    const { hash: _hash, mail: _mail, ...rest } = stored
    const again = {
      ...rest,
      createdBy: actor.user.id,
      sentAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + INVITE_MS).toISOString(),
    }
    if (!app.mail) {
      const secret = newToken()
      return { doc: await tx.replace(invites, { ...again, hash: hashToken(secret) }), secret }
    }
    const doc = await tx.replace(invites, { ...again, mail: 'queued' as const })
    await queueMail(app, tx, { mail: 'invite', invite: doc.id })
    return { doc }
  })
  app.wakes.jobs()
  return resent
}

/** Revokes an invitation. Throws 409 if it was accepted in the meantime. */
export async function revokeInvite(app: App, invite: Document<InviteDoc>): Promise<void> {
  await app.store.transact(async (tx) => {
    if ((await tx.get(invites, invite.id))?.accepted)
      throw conflict('The invitation has just been accepted. Remove the member instead.')
    await tx.remove(invites, invite.id)
  })
}
