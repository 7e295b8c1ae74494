// Hands mails to the mail server.
import type { smtpTransport } from './smtp.js'

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

/** `url`: `smtp://` or `smtps://`, with user name and password if the server wants them. Connects only when there is something to send. */
export function createMailer({ url, from }: { url: string; from: string }): Mailer {
  let made: Promise<ReturnType<typeof smtpTransport>> | null = null
  // A start should not wait for a library that many services never need.
  const make = async () => (await import('./smtp.js')).smtpTransport(url)
  return {
    async send({ to, subject, text }) {
      const transport = await (made ??= make())
      try {
        // An address in an object is not parsed: nothing in it can become a second recipient or another host.
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } catch (error) {
        const { code, responseCode, message } = error as { code?: string; responseCode?: number; message: string }
        if ((code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== undefined && responseCode >= 500)
          throw new MailRefused(responseCode)
        throw new Error(`The mail server did not take the message (${code ?? 'no code'}): ${responseCode ?? message}`)
      }
    },
    close: () => void made?.then((transport) => transport.close()),
  }
}
