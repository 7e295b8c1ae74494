/**
 * Encrypts and decrypts secrets that the service must be able to read again, such as those of webhooks and share links.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

const keyFrom = (signingKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', signingKey, '', 'bindery sealed secrets', 32))

/**
 * Encrypts and authenticates a secret that is stored in a document, with a key derived from the service's signing key.
 * Reading the documents (in a backup or an export) does not reveal it.
 * @param place the owner of the secret; it cannot be decrypted for another owner
 */
export function seal(signingKey: Buffer, place: string, secret: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, keyFrom(signingKey), iv).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** Decrypts a secret; null if it was sealed for another owner or with another signing key. */
export function unseal(signingKey: Buffer, place: string, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < IV_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv(CIPHER, keyFrom(signingKey), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    // The tag does not match: the text was changed, or sealed for another owner or with another key.
    return null
  }
}
