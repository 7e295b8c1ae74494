// The entry point of `outbound/`: HTTP requests to user-defined addresses (addresses.ts protects private networks), and
// mail.
export {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  type HttpResponse,
} from './http-client.js'
export { OutboundError, type OutboundFailure } from './errors.js'
export { resolveHost } from './resolve.js'
export { createMailer, type Mail, type Mailer, MailRefused, verifyMailServer } from './mail.js'
