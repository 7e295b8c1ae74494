// The door of SAML: certificates, requests and metadata, and where the tasks are that verify responses. What verifies is loaded by threads alone.
import type { ServiceProvider, requestUrl as RequestUrl } from './service-provider.js'

export { type Certificate, readCertificates } from './certificates.js'
export type { Asserted } from './claims.js'
export type { ServiceProvider } from './service-provider.js'
export type { VerifyOrder } from './verify.js'

/** Loaded when it is needed, with a large library: most services have no SAML, and a start should not wait for it. */
const serviceProvider = () => import('./service-provider.js')

/** The metadata of this service, as XML. */
export const metadataOf = async (provider: ServiceProvider): Promise<string> =>
  (await serviceProvider()).metadataOf(provider)

/** The URL at an identity provider that begins a sign-in: see `service-provider.ts`. */
export const requestUrl = async (...asked: Parameters<typeof RequestUrl>): Promise<string> =>
  (await serviceProvider()).requestUrl(...asked)

/** The module with the table of tasks. */
export const SAML_TASKS = new URL('./tasks.js', import.meta.url)
