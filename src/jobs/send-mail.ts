// The job that sends a mail.
import { type QueuedMail, sendMail } from '../domain/people/mails.js'
import { giveUpMail, writeMail } from '../domain/people/write-mail.js'
import type { JobKind } from './job-kind.js'
import { queues } from './queues.js'

/** Sends a mail. */
export const mail: JobKind<QueuedMail> = {
  kind: 'send-mail',
  queue: queues.mail,
  run: (app, job) => sendMail(app, job, writeMail),
  failed: (_app, job, error) => ({ error, write: (tx) => giveUpMail(tx, job.payload) }),
}
