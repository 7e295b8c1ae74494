/** Creates tokens that authenticate a GitHub App (JWT, RFC 7519; RS256, as GitHub requires). */
import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'

/** GitHub accepts at most ten minutes, and its clock may be behind ours. */
const EARLY_SECONDS = 60
const SECONDS = 8 * 60

/**
 * Returns a token of an app, signed with its private key, a PEM file (PKCS#1, as GitHub generates it, or PKCS#8).
 * Throws unless the key is an RSA key of at least 2,048 bits without a passphrase.
 */
export async function signAppToken(privateKey: string, appId: string, now: Date): Promise<string> {
  const key = createPrivateKey(privateKey)
  const seconds = Math.floor(now.getTime() / 1000)
  return new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(appId)
    .setIssuedAt(seconds - EARLY_SECONDS)
    .setExpirationTime(seconds + SECONDS)
    .sign(key)
}
