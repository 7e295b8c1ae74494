export { bearer, hashToken, newToken } from './secrets.js'
