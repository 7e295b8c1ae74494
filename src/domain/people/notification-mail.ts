/** Writes the mail about new notifications, one for all notifications within a short time. */
import {
  changeRequestAddress,
  commentAddress,
  connectionAddress,
  waitingSuggestionsAddress,
} from '../context/app-addresses.js'
import type { App } from '../context/app.js'
import { queueMail } from '../notifications/queue-mail.js'
import { type ShownNotification, visibleTo, withRequest } from '../notifications/notifications.js'
import { notifications, users } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import { oneLine, type WrittenMail } from './mails.js'

/** Maximum number of notifications in one mail. */
const MAX_LISTED = 50

/** Returns the address of a notification in the app. */
export function notificationAddress(app: App, { doc, changeRequest }: Omit<ShownNotification, 'space'>): string {
  const { space, comment, page, site } = doc
  if (site !== undefined) return waitingSuggestionsAddress(app, site)
  if (comment !== undefined)
    return commentAddress(app, {
      space,
      comment,
      ...(page ? { page: page.id } : {}),
      ...(changeRequest ? { changeRequest: changeRequest.number } : {}),
    })
  return changeRequest ? changeRequestAddress(app, space, changeRequest.number) : connectionAddress(app, space)
}

/** Writes the mail about unread notifications. Null if there are none. */
export async function writeNotifications(app: App, id: string): Promise<WrittenMail | null> {
  const user = await app.store.get(users, id)
  const due = user ? await app.store.find(notifications, 'due', id) : []
  const listed = due.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, MAX_LISTED)
  const settle = (tx: Transaction) => settleAll(app, tx, id, new Set(listed.map((one) => one.id)))
  const spaceOf = visibleTo(app.store, id, async () => true)
  const parts: string[][] = []
  for (const doc of listed) {
    const space = await spaceOf(doc.space)
    if (!space) continue
    const shown = { ...(await withRequest(app.store, { doc })), space }
    const actor = doc.actor === undefined ? null : await app.store.get(users, doc.actor)
    parts.push([sentence(shown, oneLine(actor?.displayName ?? 'Someone')), `  ${notificationAddress(app, shown)}`])
  }
  if (!user || parts.length === 0) {
    await app.store.transact(settle)
    return null
  }
  const [first] = parts
  return {
    to: user.email,
    subject: parts.length === 1 ? (first?.[0] ?? '') : `${parts.length} notifications`,
    text: [
      ...parts.flatMap((lines) => [...lines, '']),
      `Choose what is mailed to you: ${app.settings.publicUrl}/inbox#settings`,
      '',
    ].join('\n'),
    settle: (tx, fate) => (fate === 'later' ? Promise.resolve() : settle(tx)),
  }
}

/** Records that notifications were mailed, and queues a mail for newer ones. */
async function settleAll(app: App, tx: Transaction, user: string, mailed: ReadonlySet<string>): Promise<void> {
  const due = await tx.find(notifications, 'due', user)
  for (const { mailDue, ...rest } of due) {
    if (!mailed.has(rest.id)) continue
    if (rest.mailOnly) await tx.remove(notifications, rest.id)
    else await tx.replace(notifications, rest)
  }
  if (due.some(({ id }) => !mailed.has(id))) await queueMail(app, tx, { mail: 'notifications', user })
}

/** Describes a notification in one line. */
function sentence({ doc, space, changeRequest }: ShownNotification, actor: string): string {
  const place = oneLine(space.title || 'Untitled space')
  const subject = changeRequest?.subject ? ` "${oneLine(changeRequest.subject)}"` : ''
  const request = changeRequest ? `change request #${changeRequest.number}${subject} in ${place}` : place
  switch (doc.type) {
    case 'review_requested':
      return `${actor} asks for your review of ${request}`
    case 'reviewed':
      return doc.review === 'approved' ? `${actor} approved ${request}` : `${actor} asks for changes in ${request}`
    case 'comment':
      return `${actor} commented on ${request}`
    case 'reply':
      return `${actor} replied to a comment on ${request}`
    case 'merged':
      return `${changeRequest ? 'Your ' : ''}${request} was merged`
    case 'conflict':
      return `The sync of ${place} needs a decision`
    case 'sync_failed':
      return `The sync of ${place} fails`
    case 'suggestion':
      return `A suggestion of a reader waits for your review in ${place}`
  }
}
