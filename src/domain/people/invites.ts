import { hashToken, newToken } from '../../auth/index.js'
import { allows } from '../../access/index.js'
import { badRequest, conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type InviteDoc, type InviteUsers, invites, membershipId, memberships, organizations } from '../../model/index.js'
import type { Document, Draft, Reader, Transaction } from '../../store/index.js'
import { organizationRole } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { findAccount, findLimitedMember } from '../accounts/accounts.js'
import { queueMail } from './mails.js'

/** How long an e-mail invitation may be accepted. */
export const INVITE_MS = 7 * 24 * 60 * 60 * 1000

/** An address gets no second mail of an organization before so long: inviting again only changes the invitation. */
const MAIL_AGAIN_MS = 60 * 1000

/** An invitation; with the secret of its link where that is shown, which is once. */
export interface ShownInvite {
  doc: Document<InviteDoc>
  secret?: string
}

/** What became of a request to invite. */
export interface Invited {
  /** Members already. */
  users: string[]
  invites: ShownInvite[]
}

/**
 * Invites addresses: by mail where a mail server is set up, else the links are answered. Who is a member already is named
 * and not invited; an address that was invited before gets a new invitation in place of the old one. Whether an address has
 * an account elsewhere on the service changes nothing that is answered, here or to who opens a link that is answered. Throws 403 where the caller is no admin any more.
 */
export async function inviteUsers(app: App, actor: Actor, organization: LoadedOrganization, input: InviteUsers): Promise<Invited> {
  const emails = input.emails.map((email) => email.toLowerCase())
  const twice = emails.findIndex((email, index) => emails.indexOf(email) !== index)
  if (twice >= 0) throw badRequest('An address is named twice.', [{ path: `/emails/${twice}`, message: 'must not be there twice' }])
  const invited = await app.store.transact(async (tx) => {
    const { id, defaultRole } = await requireInviter(tx, actor, organization)
    const wanted = { role: input.role === undefined ? defaultRole : input.role, sso: input.sso ?? false, createdBy: actor.user.id }
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
 * Who is a member already by an address: whose it is; where no mail would show whose it is, also who says that it is his. With
 * a mail server such a one is in nobody's way: the mail makes the account that is the address's own.
 */
async function memberOf(app: App, tx: Transaction, organization: string, email: string): Promise<string | null> {
  const account = await findAccount(tx, email)
  if (account && (await tx.get(memberships, membershipId(organization, account.id)))) return account.id
  return app.mail ? null : ((await findLimitedMember(tx, organization, email))?.id ?? null)
}

type Wanted = Pick<InviteDoc, 'organization' | 'role' | 'sso' | 'createdBy'> & { email: string }

async function inviteOne(app: App, tx: Transaction, wanted: Wanted): Promise<ShownInvite> {
  const now = app.clock.now()
  const before = await tx.find(invites, 'email', `${wanted.organization}/${wanted.email}`)
  const mailed = before.find((old) => old.mail !== undefined && isOpen(app, old) && now.getTime() - Date.parse(old.createdAt) < MAIL_AGAIN_MS)
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

/** The organization as it is stored now, for who may invite into it: an admin, so nobody invites above his own role. Throws 403, 404. */
export async function requireInviter(tx: Transaction, actor: Actor, organization: LoadedOrganization) {
  const doc = await tx.get(organizations, organization.doc.id)
  if (!doc) throw notFound('The organization')
  if (!allows('organization:admin', await organizationRole(tx, actor.user.id, doc.id)))
    throw new ServiceError('forbidden', 'Only an admin of the organization may invite.')
  return doc
}

/** Whether an invitation can be accepted now. One is good as long as who made it is an admin: nobody brings himself back by one. */
export async function isGood(app: App, reader: Reader, invite: InviteDoc): Promise<boolean> {
  if (invite.expiresAt !== undefined && Date.parse(invite.expiresAt) <= app.clock.now().getTime()) return false
  const organization = await reader.get(organizations, invite.organization)
  if (!organization || (invite.kind === 'link' && !organization.inviteLinks)) return false
  return allows('organization:admin', await organizationRole(reader, invite.createdBy, invite.organization))
}

/** The e-mail invitations of an organization that were neither accepted nor have expired. */
export async function listInvites(app: App, organization: LoadedOrganization): Promise<Document<InviteDoc>[]> {
  const all = await app.store.find(invites, 'organization', `${organization.doc.id}/email`)
  return all.filter((invite) => isOpen(app, invite))
}

/** Neither accepted nor expired. */
export const isOpen = (app: App, { accepted, expiresAt }: InviteDoc): boolean =>
  accepted === undefined && (expiresAt === undefined || Date.parse(expiresAt) > app.clock.now().getTime())

/** An open invitation of the organization, for its admins; else null. */
export async function findInvite(app: App, organization: LoadedOrganization, kind: InviteDoc['kind'], id: string): Promise<Document<InviteDoc> | null> {
  const doc = await app.store.get(invites, id)
  return doc && doc.organization === organization.doc.id && doc.kind === kind && isOpen(app, doc) ? doc : null
}

/** Takes an invitation back. One that is accepted meanwhile throws 409: remove the member instead. */
export async function revokeInvite(app: App, invite: Document<InviteDoc>): Promise<void> {
  await app.store.transact(async (tx) => {
    if ((await tx.get(invites, invite.id))?.accepted) throw conflict('The invitation has just been accepted: remove the member instead.')
    await tx.remove(invites, invite.id)
  })
}
