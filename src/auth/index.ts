export { seal, unseal } from './sealed.js'
export { bearer, hashToken, newToken } from './secrets.js'
export { newWebhookSecret, signWebhook } from './webhook-signature.js'
