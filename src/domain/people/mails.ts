// Sends queued mails. A mail is written when it is sent (`write-mail.ts`) and retried while the mail server fails.
import { backOff } from '../../kernel/back-off.js'
import type { JobDoc, MailOrder } from '../../model/index.js'
import { type Mail, MailRefused } from '../../outbound/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { insertMailJob } from '../notifications/queue-mail.js'

const DAY_MS = 24 * 60 * 60 * 1000
/** Retry period in milliseconds while the mail server fails. */
const PATIENCE_MS = {
  invite: DAY_MS,
  'sign-in': 10 * 60 * 1000,
  suggestion: 60 * 60 * 1000,
  connection: DAY_MS,
  notifications: DAY_MS,
}
const RETRY = { firstMs: 10_000, maxMs: 30 * 60_000 }

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
    const waitMs = backOff(order.tries + 1, RETRY)
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
        await insertMailJob(app, tx, { ...order, tries: order.tries + 1 }, { organization: job.organization, waitMs })
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
