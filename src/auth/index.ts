export { seal, unseal } from './sealed.js'
export { bearer, hashToken, newToken } from './secrets.js'
