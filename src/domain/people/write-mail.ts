import { hashToken, newToken } from '../../auth/index.js'
import { newId } from '../../kernel/ids.js'
import { invites, organizations, signIns, users } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { findAccount, isClaimed } from '../accounts/accounts.js'
import { isGood, isOpen } from './invites.js'
import { type MailOrder, oneLine, type WrittenMail } from './mails.js'

/** How long a sign-in link works, from when it is sent. */
const SIGN_IN_MS = 15 * 60 * 1000
/** Links of one address that may be open at a time: more mails would only be a nuisance, and those links work. */
const OPEN_LINKS = 3

/** Writes the mail of an order; see `WriteMail`. */
export const writeMail = (app: App, order: MailOrder): Promise<WrittenMail | null> =>
  order.mail === 'invite' ? writeInvite(app, order.invite) : writeSignIn(app, order.email, order.invite)

/** The secret stands behind a #: browsers do not send it, so no log on the way has it. */
export const linkTo = (app: App, page: 'invite' | 'sign-in', secret: string): string => `${app.settings.publicUrl}/${page}#${secret}`

/** The invitation with a new secret: of a mail that is sent again, the last link is the one that works. */
async function writeInvite(app: App, id: string): Promise<WrittenMail | null> {
  const secret = newToken()
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(invites, id)
    return stored && isOpen(app, stored) && (await isGood(app, tx, stored)) ? tx.replace(invites, { ...stored, hash: hashToken(secret) }) : null
  })
  if (!doc) return null
  const inviter = await app.store.get(users, doc.createdBy)
  const title = oneLine((await app.store.get(organizations, doc.organization))?.title ?? '')
  return {
    to: doc.email as string,
    subject: `Invitation to ${title}`,
    text: [
      `${oneLine(inviter?.displayName ?? 'An administrator')} invites you to ${title}.`,
      '',
      `Accept: ${linkTo(app, 'invite', secret)}`,
      '',
      `The link is for you alone and works until ${doc.expiresAt}. If you did not expect it, do nothing.`,
      '',
    ].join('\n'),
    settle: (tx, fate) => (fate === 'later' ? Promise.resolve() : markInvite(tx, id, fate)),
  }
}

async function markInvite(tx: Transaction, id: string, mail: 'sent' | 'failed'): Promise<void> {
  const stored = await tx.get(invites, id)
  if (stored) await tx.replace(invites, { ...stored, mail })
}

/** Writes down that the mail of an order is given up. */
export const giveUpMail = async (tx: Transaction, order: MailOrder): Promise<void> =>
  order.mail === 'invite' ? markInvite(tx, order.invite, 'failed') : undefined

/** A sign-in link, where there is an account with the address, or one is made by using it: asked for with a link invitation, or for an address that somebody claims. */
async function writeSignIn(app: App, email: string, invite: string | undefined): Promise<WrittenMail | null> {
  const secret = newToken()
  const id = newId()
  const now = app.clock.now().getTime()
  const written = await app.store.transact(async (tx) => {
    const user = await findAccount(tx, email)
    const link = invite === undefined ? null : await tx.get(invites, invite)
    const good = link !== null && (await isGood(app, tx, link))
    if (user?.service || !(user || good || (await isClaimed(tx, email)))) return false
    const open = (await tx.find(signIns, 'email', email)).filter((one) => Date.parse(one.expiresAt) > now)
    if (open.length >= OPEN_LINKS) return false
    const dates = { createdAt: new Date(now).toISOString(), expiresAt: new Date(now + SIGN_IN_MS).toISOString() }
    await tx.insert(signIns, { id, email, hash: hashToken(secret), ...dates, ...(good && link ? { invite: link.id } : {}) })
    return true
  })
  if (!written) return null
  return {
    to: email,
    subject: 'Your sign-in link',
    text: [
      `Somebody, hopefully you, wants to sign in to ${app.settings.publicUrl} with this address.`,
      '',
      `Sign in: ${linkTo(app, 'sign-in', secret)}`,
      '',
      'The link works once, for 15 minutes. If it was not you, do nothing: nobody gets in without this mail.',
      '',
    ].join('\n'),
    settle: async (tx, fate) => {
      if (fate !== 'sent') await tx.remove(signIns, id)
    },
  }
}
