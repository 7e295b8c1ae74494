// Hands mails to the mail server.
import { createTransport } from 'nodemailer'

/** A message to one person. */
export interface Mail {
  /** An address alone, without a name. */
  to: string
  subject: string
  text: string
}

/** Hands messages to the mail server of the configuration. */
export interface Mailer {
  /**
   * Resolves when the server has accepted the message. Throws `MailRefused` if it never will; after any other error, another try
   * may succeed. No error quotes the server's words, which may quote the message.
   */
  send(mail: Mail): Promise<void>
  close(): void
}

/** The mail server does not accept this message, or not for this recipient. */
export class MailRefused extends Error {
  override name = 'MailRefused'
  constructor(readonly responseCode: number) {
    super(`The mail server refused the message (${responseCode}).`)
  }
}

/** A server that does not answer must not hold up the messages that wait. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 }

/** `url`: `smtp://` or `smtps://`, with user name and password if the server wants them. Connects only when there is something to send. */
export function createMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({ url, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true, logger: false })
  return {
    async send({ to, subject, text }) {
      try {
        // An address in an object is not parsed: nothing in it can become a second recipient or another host.
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text, headers: { 'Auto-Submitted': 'auto-generated' } })
      } catch (error) {
        const { code, responseCode, message } = error as { code?: string; responseCode?: number; message: string }
        if ((code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== undefined && responseCode >= 500) throw new MailRefused(responseCode)
        throw new Error(`The mail server did not take the message (${code ?? 'no code'}): ${responseCode ?? message}`)
      }
    },
    close: () => transport.close(),
  }
}
