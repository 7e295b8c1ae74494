/** The connection to the mail server. With its library, it is loaded when there is something to send. */
import { createTransport, type Transporter } from 'nodemailer'

/** A server that does not answer must not hold up the messages that wait. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 }

/** `url`: `smtp://` or `smtps://`, with user name and password if the server wants them. Connects only when there is something to send. */
export const smtpTransport = (url: string): Transporter =>
  createTransport({ url, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true, logger: false })
