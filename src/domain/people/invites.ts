// E-mail invitations to an organization.
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
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { findAccount, findLimitedMember } from '../accounts/accounts.js'
import { queueMail } from './mails.js'

/** How long an e-mail invitation is valid. */
const INVITE_MS = 7 * 24 * 60 * 60 * 1000

/** An address gets at most one mail from an organization in this time: inviting again before only changes the invitation. */
const MAIL_AGAIN_MS = 60 * 1000

/** An invitation, with the secret of its link if that is shown: once, when it is created. */
export interface ShownInvite {
  doc: Document<InviteDoc>
  secret?: string
}

/** The result of a request to invite. */
interface Invited {
  /** IDs of those who are members already. */
  users: string[]
  invites: ShownInvite[]
}

/**
 * Invites addresses: by mail if a mail server is set up, else by links that are returned. Members are named and not invited
 * again. A new invitation replaces an earlier one for the same address. The result does not depend on whether an address has
 * an account on the service, which must stay unknown. Throws 400, and 403 if the caller is no longer an admin.
 */
export async function inviteUsers(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: InviteUsers,
): Promise<Invited> {
  const emails = input.emails.map((email) => email.toLowerCase())
  const twice = emails.findIndex((email, index) => emails.indexOf(email) !== index)
  if (twice >= 0)
    throw badRequest('An address is listed twice.', [{ path: `/emails/${twice}`, message: 'must be listed only once' }])
  const invited = await app.store.transact(async (tx) => {
    const { id, defaultRole } = await requireInviter(tx, actor, organization)
    const wanted = {
      role: input.role === undefined ? defaultRole : input.role,
      sso: input.sso ?? false,
      createdBy: actor.user.id,
    }
    const result: Invited = { users: [], invites: [] }
    for (const email of emails) {
      const member = await memberOf(app, tx, id, email)
      if (member !== null) result.users.push(member)
      else result.invites.push(await inviteOne(app, tx, { organization: id, email, ...wanted }))
    }
    return result
  })
  app.wakeJobs()
  return invited
}

/**
 * ID of the member with an address: the account that owns it; without a mail server also the member who claims it without
 * proof. With a mail server such a member is ignored, since the mail will create the account that owns the address.
 */
async function memberOf(app: App, tx: Transaction, organization: string, email: string): Promise<string | null> {
  const account = await findAccount(tx, email)
  if (account && (await tx.get(memberships, membershipId(organization, account.id)))) return account.id
  return app.mail ? null : ((await findLimitedMember(tx, organization, email))?.id ?? null)
}

type InviteRequest = Pick<InviteDoc, 'organization' | 'role' | 'sso' | 'createdBy'> & { email: string }

async function inviteOne(app: App, tx: Transaction, wanted: InviteRequest): Promise<ShownInvite> {
  const now = app.clock.now()
  const before = await tx.find(invites, 'email', `${wanted.organization}/${wanted.email}`)
  const mailed = before.find(
    (old) => old.mail !== undefined && isOpen(app, old) && now.getTime() - Date.parse(old.createdAt) < MAIL_AGAIN_MS,
  )
  if (app.mail && mailed) return { doc: await tx.replace(invites, { ...mailed, ...wanted }) }
  for (const old of before) await tx.remove(invites, old.id)
  const expiresAt = new Date(now.getTime() + INVITE_MS).toISOString()
  const draft: Draft<InviteDoc> = { ...wanted, id: newId(), kind: 'email', createdAt: now.toISOString(), expiresAt }
  if (!app.mail) {
    const secret = newToken()
    return { doc: await tx.insert(invites, { ...draft, hash: hashToken(secret) }), secret }
  }
  const doc = await tx.insert(invites, { ...draft, mail: 'queued' })
  await queueMail(app, tx, { mail: 'invite', invite: doc.id })
  return { doc }
}

/** The organization as it is stored now. Throws 403 unless the caller is an admin (who can give any role), 404. */
export async function requireInviter(tx: Transaction, actor: Actor, organization: LoadedOrganization) {
  const doc = await tx.get(organizations, organization.doc.id)
  if (!doc) throw notFound('The organization')
  if (!allows('organization:admin', await organizationRole(tx, actor.user.id, doc.id)))
    throw new ServiceError('forbidden', 'Only an admin of the organization may invite people.')
  return doc
}

/** Whether an invitation can be accepted now. That takes that its creator is still an admin: otherwise a removed admin could come back by their own link. */
export async function isAcceptable(app: App, reader: Reader, invite: InviteDoc): Promise<boolean> {
  if (invite.expiresAt !== undefined && Date.parse(invite.expiresAt) <= app.clock.now().getTime()) return false
  const organization = await reader.get(organizations, invite.organization)
  if (!organization || (invite.kind === 'link' && !organization.inviteLinks)) return false
  return allows('organization:admin', await organizationRole(reader, invite.createdBy, invite.organization))
}

/** The open e-mail invitations of an organization. */
export async function listInvites(app: App, organization: LoadedOrganization): Promise<Document<InviteDoc>[]> {
  const all = await app.store.find(invites, 'organization', `${organization.doc.id}/email`)
  return all.filter((invite) => isOpen(app, invite))
}

/** Whether an invitation is neither accepted nor expired. */
export const isOpen = (app: App, { accepted, expiresAt }: InviteDoc): boolean =>
  accepted === undefined && (expiresAt === undefined || Date.parse(expiresAt) > app.clock.now().getTime())

/** An open invitation of the organization; null if there is none. */
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
 * Sends an invitation again: the link before is no longer valid, and the new one is for seven days. The caller vouches for it from now on.
 * Throws 403 if they are no longer an admin, 404 if it was revoked or accepted meanwhile, 409 if its mail is a minute old at most.
 */
export async function resendInvite(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  invite: Document<InviteDoc>,
): Promise<ShownInvite> {
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
      throw conflict('The invitation was mailed less than a minute ago: wait before you send it again.')
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
  app.wakeJobs()
  return resent
}

/** Revokes an invitation. Throws 409 if it was accepted meanwhile. */
export async function revokeInvite(app: App, invite: Document<InviteDoc>): Promise<void> {
  await app.store.transact(async (tx) => {
    if ((await tx.get(invites, invite.id))?.accepted)
      throw conflict('The invitation has just been accepted: remove the member instead.')
    await tx.remove(invites, invite.id)
  })
}
