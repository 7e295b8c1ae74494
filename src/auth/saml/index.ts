// The entry point of SAML: certificates, requests and metadata, and the module that verifies responses. Only threads
// load that module.
import type { ServiceProvider, requestUrl as RequestUrl } from './service-provider.js'

export { type Certificate, readCertificates } from './certificates.js'
export type { SamlClaims } from './claims.js'
export type { ServiceProvider } from './service-provider.js'
export type { VerifyOrder } from './verify.js'

/**
 * Loaded on first use with a large library: the majority of services do not use SAML, and their start should not wait.
 */
const serviceProvider = () => import('./service-provider.js')

/** Returns the metadata of this service, as XML. */
export const metadataOf = async (provider: ServiceProvider): Promise<string> =>
  (await serviceProvider()).metadataOf(provider)

/** Returns the URL at an identity provider that starts a sign-in: see `service-provider.ts`. */
export const requestUrl = async (...asked: Parameters<typeof RequestUrl>): Promise<string> =>
  (await serviceProvider()).requestUrl(...asked)

/** The module with the table of tasks. */
export const SAML_TASKS = new URL('./tasks.js', import.meta.url)
