// Sends mail through the mail server.
import { asError } from '../kernel/thrown.js'
import type { smtpTransport } from './smtp.js'

/** A message to one recipient. */
export interface Mail {
  /** An address without a name. */
  to: string
  subject: string
  text: string
}

/** Sends messages through the configured mail server. */
export interface Mailer {
  /**
   * Resolves when the server has accepted the message. Throws `MailRefused` for a permanent rejection; after any other
   * error, a retry may succeed. Errors do not quote the server's response, which may contain the message.
   */
  send(mail: Mail): Promise<void>
  close(): void
}

/** Thrown if the mail server rejects the message or the recipient. */
export class MailRefused extends Error {
  override name = 'MailRefused'
  constructor(readonly responseCode: number) {
    super(`The mail server rejected the message (${responseCode}).`)
  }
}

/**
 * Creates a mailer. `url` is `smtp://` or `smtps://`, with user name and password if the server needs them. Connects
 * only to send a message.
 */
export function createMailer({ url, from }: { url: string; from: string }): Mailer {
  let transportPromise: Promise<ReturnType<typeof smtpTransport>> | null = null
  // Startup should not wait for a library that many services never need.
  const make = async () => (await import('./smtp.js')).smtpTransport(url)
  return {
    async send({ to, subject, text }) {
      const transport = await (transportPromise ??= make())
      try {
        // An address in an object is not parsed, so it cannot add a second recipient or another host.
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } catch (error) {
        const { code, responseCode, message }: Error & { code?: string; responseCode?: number } = asError(error)
        if ((code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== undefined && responseCode >= 500)
          throw new MailRefused(responseCode)
        throw new Error(`The mail server did not accept the message (${code ?? 'no code'}): ${responseCode ?? message}`)
      }
    },
    close: () => void transportPromise?.then((transport) => transport.close()),
  }
}

/** Connects to a mail server and signs in, without sending anything. Throws the error of the server. */
export async function verifyMailServer(url: string): Promise<void> {
  const transport = (await import('./smtp.js')).smtpTransport(url)
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}
