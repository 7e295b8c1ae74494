// The door of SAML: certificates, requests and metadata, and where the tasks are that verify responses. What verifies is loaded by threads alone.
export { type Certificate, readCertificates } from './certificates.js'
export type { Asserted } from './claims.js'
export { metadataOf, requestUrl, type ServiceProvider } from './service-provider.js'
export type { VerifyOrder } from './verify.js'

/** The module with the table of tasks. */
export const SAML_TASKS = new URL('./tasks.js', import.meta.url)
