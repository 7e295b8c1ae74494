/** Queues mails as jobs. A mail is written when it is sent. */
import { defined } from '../../kernel/defined.js'
import { newId } from '../../kernel/ids.js'
import { connections, invites, jobOf, type JobPayload, jobs, type MailOrder } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'

/**
 * Queues a mail in the transaction of the change that it reports. Call `app.wakes.jobs()` afterwards.
 * @param waitMs time until it is sent, in milliseconds
 */
export async function queueMail(app: App, tx: Transaction, order: MailOrder, waitMs = 0): Promise<void> {
  const organization = await organizationOf(tx, order)
  await insertMailJob(app, tx, { ...order, since: app.clock.now().getTime(), tries: 0 }, { organization, waitMs })
}

/** Returns the organization that a mail is sent for. Mails that concern only an account have none. */
async function organizationOf(tx: Transaction, order: MailOrder): Promise<string | undefined> {
  if (order.mail === 'invite') return (await tx.get(invites, order.invite))?.organization
  return order.mail === 'connection' ? (await tx.get(connections, order.connection))?.organization : undefined
}

interface Queued {
  organization: string | undefined
  waitMs: number
}

/** Inserts the job of a mail. Each mail has its own lane, so that a retry does not delay other mails. */
export async function insertMailJob(
  app: App,
  tx: Transaction,
  payload: JobPayload<'send-mail'>,
  { organization, waitMs }: Queued,
): Promise<void> {
  const id = newId()
  const now = app.clock.now().getTime()
  await tx.insert(jobs, {
    id,
    ...jobOf('send-mail', payload),
    lane: `mail:${id}`,
    ...defined({ organization }),
    state: 'queued',
    sequence: now,
    attempts: 0,
    createdAt: new Date(now).toISOString(),
    ...(waitMs === 0 ? {} : { notBefore: new Date(now + waitMs).toISOString() }),
  })
}
