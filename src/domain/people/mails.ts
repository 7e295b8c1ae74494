// Queues mails as jobs and sends them. A mail is written when it is sent (`write-mail.ts`) and retried while the mail
// server fails.
import { newId } from '../../kernel/ids.js'
import { connections, invites, type JobDoc, jobs, jobOf, type JobPayload, type MailOrder } from '../../model/index.js'
import { type Mail, MailRefused } from '../../outbound/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { defined } from '../../kernel/defined.js'

/** Retry period in milliseconds while the mail server fails. */
const PATIENCE_MS = { invite: 24 * 60 * 60 * 1000, 'sign-in': 10 * 60 * 1000, connection: 24 * 60 * 60 * 1000 }
const FIRST_RETRY_MS = 10_000
const MAX_RETRY_MS = 30 * 60 * 1000

/** Queues a mail in the transaction of the change that it reports. Call `app.wakeJobs()` afterwards. */
export async function queueMail(app: App, tx: Transaction, order: MailOrder): Promise<void> {
  const organization = await organizationOf(tx, order)
  await insertJob(app, tx, { ...order, since: app.clock.now().getTime(), tries: 0 }, { organization, waitMs: 0 })
}

/** Returns the organization that a mail is sent for. Sign-in mails have none. */
async function organizationOf(tx: Transaction, order: MailOrder): Promise<string | undefined> {
  if (order.mail === 'invite') return (await tx.get(invites, order.invite))?.organization
  return order.mail === 'connection' ? (await tx.get(connections, order.connection))?.organization : undefined
}

interface Queued {
  organization: string | undefined
  waitMs: number
}

/** Inserts the job of a mail. Each mail has its own lane, so that a retry does not delay other mails. */
async function insertJob(
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

/** A mail with its text. */
export interface WrittenMail extends Mail {
  /** Records the outcome of sending. */
  settle?(tx: Transaction, fate: 'sent' | 'failed' | 'later'): Promise<void>
}

/** Writes the mail of an order, with a new secret whose hash is stored. Null if the mail is no longer needed. */
type WriteMail = (app: App, order: MailOrder) => Promise<WrittenMail | null>

interface Outcome {
  error?: string
  write?(tx: Transaction): Promise<void>
}

/**
 * Sends a queued mail. If the mail server fails, the mail is queued again with increasing delays. After a crash it may
 * be sent twice, but it is never lost.
 */
export async function sendMail(
  app: App,
  job: Pick<JobDoc<'send-mail'>, 'id' | 'payload' | 'organization'>,
  write: WriteMail,
): Promise<Outcome> {
  if (!app.mail) return { error: 'No mail server is configured. Set BINDERY_SMTP_URL and BINDERY_MAIL_FROM.' }
  const order = job.payload
  const mail = await write(app, order)
  if (!mail) return {}
  try {
    await app.mail.send(mail)
    app.meters.mails.inc({ outcome: 'sent' })
    return { write: async (tx) => mail.settle?.(tx, 'sent') }
  } catch (error) {
    const refused = error instanceof MailRefused
    app.log.warn(
      { error, job: job.id, mail: order.mail },
      refused ? 'The mail server rejected a mail.' : 'A mail could not be sent.',
    )
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** order.tries, MAX_RETRY_MS)
    const now = app.clock.now().getTime()
    const isOver = refused || now + waitMs - order.since > PATIENCE_MS[order.mail]
    app.meters.mails.inc({ outcome: isOver ? 'failed' : 'retried' })
    if (isOver)
      return {
        error: refused ? error.message : 'The mail server could not be reached, or did not accept the message in time.',
        write: async (tx) => mail.settle?.(tx, 'failed'),
      }
    return {
      write: async (tx) => {
        await mail.settle?.(tx, 'later')
        await insertJob(app, tx, { ...order, tries: order.tries + 1 }, { organization: job.organization, waitMs })
      },
    }
  }
}

/**
 * Puts a user's text on one line without control characters, so that it can neither end a header nor imitate text of
 * the service.
 */
export const oneLine = (text: string): string =>
  [...text.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()].slice(0, 100).join('')
