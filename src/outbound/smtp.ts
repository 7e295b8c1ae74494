/** The connection to the mail server. It is loaded with its library only to send a message. */
import { createTransport, type Transporter } from 'nodemailer'

/** A server that does not respond must not delay waiting messages. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 }

/**
 * Creates the transport. `url` is `smtp://` or `smtps://`, with user name and password if the server needs them.
 * Connects only to send a message.
 */
export const smtpTransport = (url: string): Transporter =>
  createTransport({ url, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true, logger: false })
