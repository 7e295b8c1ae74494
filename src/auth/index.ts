// The entry point of auth/: API tokens, visitor tokens, sealed secrets, webhook signatures, GitHub App tokens, and
// SAML.
export { signAppToken } from './app-token.js'
export {
  deriveProvenanceKey,
  type ProvenanceKey,
  signStatement,
  type VerifiedStatement,
  verifyStatement,
} from './provenance.js'
export {
  type SamlClaims,
  type Certificate,
  metadataOf,
  readCertificates,
  requestUrl,
  SAML_TASKS,
  type ServiceProvider,
  type VerifyOrder,
} from './saml/index.js'
export { seal, unseal } from './sealed.js'
export { bearer, hashToken, newToken } from './secrets.js'
export { newWebhookSecret, signWebhook } from './webhook-signature.js'
export {
  deriveVisitorKey,
  MAX_VISITOR_TOKEN,
  signVisitorToken,
  type VisitorToken,
  type VisitorTokenRules,
  verifyVisitorToken,
} from './visitor-token.js'
