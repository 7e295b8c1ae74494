// The door of what leaves the service: HTTP for addresses that users name (how it is kept from private networks: addresses.ts), and mail.
export {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  type HttpResponse,
} from './http-client.js'
export { OutboundError, type OutboundFailure } from './errors.js'
export { resolveHost } from './resolve.js'
export { createMailer, type Mail, type Mailer, MailRefused } from './mail.js'
