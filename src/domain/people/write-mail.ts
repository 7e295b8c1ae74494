/** Writes the mails of the service: invitations, sign-in links, confirmations, and notices about connections. */
import { required } from '../../kernel/defined.js'
import { hashToken, newToken } from '../../auth/index.js'
import { newId } from '../../kernel/ids.js'
import {
  channelsOf,
  connections,
  invites,
  type MailOrder,
  organizations,
  signIns,
  spaces,
  users,
} from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { connectionAddress } from '../context/app-addresses.js'
import { findAccount, isClaimed } from '../accounts/accounts.js'
import { isAcceptable, isOpen } from './invites.js'
import { writeNotifications } from './notification-mail.js'
import { oneLine, type WrittenMail } from './mails.js'
import { spaceRole } from '../roles/access.js'
import { writeSuggestionMail } from '../suggestions/mail.js'

/** Writes the mail. Null if the connection or the space was deleted, or the user may no longer see the space. */
async function writeNotice(
  app: App,
  { connection: id, user: to, what, message }: MailOrder & { mail: 'connection' },
): Promise<WrittenMail | null> {
  const connection = await app.store.get(connections, id)
  const space = connection && (await app.store.get(spaces, connection.space))
  const user = await app.store.get(users, to)
  if (!space || !user || (await spaceRole(app.store, to, space)) === null) return null
  const topic = connection.failure?.cause === 'conflict' ? 'conflicts' : 'syncs'
  if (!channelsOf(user.settings, topic).mail) return null
  const title = oneLine(space.title || 'Untitled space')
  const place = `${connection.url} (${connection.ref.replace(/^refs\/heads\//, '')})`
  const subject =
    what === 'failed'
      ? `${title}: the connection to its repository failed`
      : `${title}: the connection to its repository works again`
  const text =
    what === 'failed'
      ? [
          `The space "${title}" is no longer synchronized with ${place}:`,
          '',
          message,
          '',
          'You get another mail when it works again.',
        ]
      : [`The space "${title}" is synchronized with ${place} again.`]
  return {
    to: user.email,
    subject,
    text: [...text, '', connectionAddress(app, space.id), ''].join('\n'),
  }
}

/** Lifetime of a sign-in link in milliseconds, from the time its mail was written. */
const SIGN_IN_MS = 15 * 60 * 1000
/** Maximum number of open links per address. Beyond that no mail is sent, since the open links still work. */
const MAX_OPEN_LINKS = 3

/** Writes the mail of an order; see `WriteMail`. */
export const writeMail = (app: App, order: MailOrder): Promise<WrittenMail | null> =>
  order.mail === 'invite'
    ? writeInvite(app, order.invite)
    : order.mail === 'connection'
      ? writeNotice(app, order)
      : order.mail === 'notifications'
        ? writeNotifications(app, order.user)
        : order.mail === 'suggestion'
          ? writeSuggestionMail(app, order.suggestion)
          : writeSignIn(app, order.email, order.invite)

/** Returns a link with a secret after a `#`. Browsers do not send that part, so no log on the way contains it. */
export const linkTo = (app: App, page: 'invite' | 'sign-in', secret: string): string =>
  `${app.settings.publicUrl}/${page}#${secret}`

/** Writes the mail of an invitation with a new secret. If the mail is sent again, only the last link works. */
async function writeInvite(app: App, id: string): Promise<WrittenMail | null> {
  const secret = newToken()
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(invites, id)
    return stored && isOpen(app, stored) && (await isAcceptable(app, tx, stored))
      ? tx.replace(invites, { ...stored, hash: hashToken(secret) })
      : null
  })
  if (!doc) return null
  const inviter = await app.store.get(users, doc.createdBy)
  const title = oneLine((await app.store.get(organizations, doc.organization))?.title ?? '')
  return {
    to: required(doc.email),
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

/** Records that a mail could not be sent and is not retried. */
export const giveUpMail = async (tx: Transaction, order: MailOrder): Promise<void> =>
  order.mail === 'invite' ? markInvite(tx, order.invite, 'failed') : undefined

/**
 * Writes the mail with a sign-in link. Null if the link would neither sign in to an account nor create one
 * (`finishSignIn`), for a service account, and if the address has enough open links.
 */
async function writeSignIn(app: App, email: string, invite: string | undefined): Promise<WrittenMail | null> {
  const secret = newToken()
  const id = newId()
  const now = app.clock.now().getTime()
  const written = await app.store.transact(async (tx) => {
    const user = await findAccount(tx, email)
    const link = invite === undefined ? null : await tx.get(invites, invite)
    const isAcceptableLink = link !== null && (await isAcceptable(app, tx, link))
    if (user?.service || !(user || isAcceptableLink || (await isClaimed(tx, email)))) return false
    const open = (await tx.find(signIns, 'email', email)).filter((one) => Date.parse(one.expiresAt) > now)
    if (open.length >= MAX_OPEN_LINKS) return false
    const dates = { createdAt: new Date(now).toISOString(), expiresAt: new Date(now + SIGN_IN_MS).toISOString() }
    await tx.insert(signIns, {
      id,
      email,
      hash: hashToken(secret),
      ...dates,
      ...(isAcceptableLink && link ? { invite: link.id } : {}),
    })
    return true
  })
  if (!written) return null
  return {
    to: email,
    subject: 'Your sign-in link',
    text: [
      `A sign-in to ${app.settings.publicUrl} was requested for this address.`,
      '',
      `Sign in: ${linkTo(app, 'sign-in', secret)}`,
      '',
      'The link works once, for 15 minutes. If you did not request it, ignore this mail: no one can sign in without it.',
      '',
    ].join('\n'),
    settle: async (tx, fate) => {
      if (fate !== 'sent') await tx.remove(signIns, id)
    },
  }
}
