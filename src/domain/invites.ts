import { hashToken, newToken } from '../auth/index.js'
import { allows } from '../access/index.js'
import { badRequest, conflict, notFound, ServiceError } from '../kernel/errors.js'
import { newId } from '../kernel/ids.js'
import { type InviteDoc, type InviteUsers, invites, membershipId, memberships, organizations, users } from '../model/index.js'
import type { Document, Reader, Transaction } from '../store/index.js'
import { organizationRole } from './access.js'
import type { Actor, App, LoadedOrganization } from './app.js'
import { queueMail } from './mails.js'

/** How long an e-mail invitation may be accepted. */
export const INVITE_MS = 7 * 24 * 60 * 60 * 1000

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
 * an account elsewhere on the service changes nothing that is answered. Throws 403 where the caller is no admin any more.
 */
export async function inviteUsers(app: App, actor: Actor, organization: LoadedOrganization, input: InviteUsers): Promise<Invited> {
  const emails = input.emails.map((email) => email.toLowerCase())
  const twice = emails.findIndex((email, index) => emails.indexOf(email) !== index)
  if (twice >= 0) throw badRequest('An address is named twice.', [{ path: `/emails/${twice}`, message: 'must not be there twice' }])
  const now = app.clock.now()
  const invited = await app.store.transact(async (tx) => {
    const { id, defaultRole } = await requireInviter(tx, actor, organization)
    const result: Invited = { users: [], invites: [] }
    for (const email of emails) {
      const [user] = await tx.find(users, 'email', email)
      if (user && (await tx.get(memberships, membershipId(id, user.id)))) {
        result.users.push(user.id)
        continue
      }
      for (const old of await tx.find(invites, 'email', `${id}/${email}`)) await tx.remove(invites as never, old.id)
      const secret = app.mail ? undefined : newToken()
      const doc = await tx.insert(invites, {
        id: newId(),
        organization: id,
        kind: 'email',
        email,
        role: input.role === undefined ? defaultRole : input.role,
        sso: input.sso ?? false,
        createdBy: actor.user.id,
        createdAt: now.toISOString(),
        expiresAt: new Date(now.getTime() + INVITE_MS).toISOString(),
        ...(secret === undefined ? { mail: 'queued' as const } : { hash: hashToken(secret) }),
      })
      if (secret === undefined) await queueMail(app, tx, { mail: 'invite', invite: doc.id })
      result.invites.push(secret === undefined ? { doc } : { doc, secret })
    }
    return result
  })
  app.wakeJobs()
  return invited
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
    await tx.remove(invites as never, invite.id)
  })
}
