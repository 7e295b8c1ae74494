/** Notifies users in the app and by mail, in the transaction of the change. */
import { newTimedId } from '../../kernel/ids.js'
import { channelsOf, type NotificationDoc, notifications, topicOf, users } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { queueMail } from './queue-mail.js'

/** Maximum number of stored notifications of a user. Older ones are removed. */
const MAX_KEPT = 200
/** Maximum number of users who are notified of one change. */
const MAX_USERS = 50
/** Mails are collected for this time in milliseconds. */
const COLLECT_MS = 5 * 60 * 1000
const MAX_MESSAGE = 300

/** A change that causes notifications. */
type News = Omit<NotificationDoc, 'id' | 'user' | 'at' | 'readAt' | 'mailDue' | 'mailOnly'>

/**
 * Notifies users of a change, according to their settings. The user who caused it is not notified.
 * @param isMailed whether another mail reports the change
 */
export async function notify(
  app: App,
  tx: Transaction,
  news: News,
  recipients: Iterable<string>,
  { isMailed = false }: { isMailed?: boolean } = {},
): Promise<void> {
  const now = app.clock.now()
  const others = [...new Set(recipients)].filter((user) => user !== news.actor).slice(0, MAX_USERS)
  for (const id of others) {
    const user = await tx.get(users, id)
    if (!user || user.service || user.former) continue
    const { app: inApp, mail } = channelsOf(user.settings, topicOf[news.type])
    // No mail to an unverified address.
    const isDue = mail && !isMailed && app.mail !== null && user.proof !== undefined
    if (!inApp && !isDue) continue
    if (isDue && (await tx.count(notifications, 'due', id)) === 0)
      await queueMail(app, tx, { mail: 'notifications', user: id }, COLLECT_MS)
    await tx.insert(notifications, {
      ...news,
      ...(news.message === undefined ? {} : { message: news.message.slice(0, MAX_MESSAGE) }),
      id: newTimedId(now),
      user: id,
      at: now.toISOString(),
      ...(isDue ? { mailDue: true } : {}),
      ...(inApp ? {} : { mailOnly: true }),
    })
    await removeOldest(tx, id)
  }
}

async function removeOldest(tx: Transaction, user: string): Promise<void> {
  const excess = (await tx.count(notifications, 'user', user)) - MAX_KEPT
  if (excess <= 0) return
  const { documents } = await tx.page(notifications, 'at', user, { limit: excess, direction: 'asc' })
  for (const one of documents) await tx.remove(notifications, one.id)
}

/** Removes the notifications about a space, in the transaction that purges it. */
export async function removeNotificationsOf(tx: Transaction, space: string): Promise<void> {
  for (const one of await tx.find(notifications, 'space', space)) await tx.remove(notifications, one.id)
}

/** Removes a user's notifications about an organization that they leave. */
export async function removeNotificationsTo(tx: Transaction, organization: string, user: string): Promise<void> {
  for (const one of await tx.find(notifications, 'user', user))
    if (one.organization === organization) await tx.remove(notifications, one.id)
}
