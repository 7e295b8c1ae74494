// API tokens: creates them, reads them from headers, and hashes them for storage.
import { createHash } from 'node:crypto'
import { newSecret } from '../kernel/ids.js'

/** The prefix of every API token, which lets scanners recognize leaked ones. */
const PREFIX = 'bindery_'

/** Returns a new API token: 256 random bits. */
export const newToken = (): string => PREFIX + newSecret()

/**
 * Returns the SHA-256 of a token, hexadecimal, which is stored instead of it. The token is random, so a fast hash is
 * sufficient.
 */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Returns the token of an `Authorization: Bearer …` header, or null. */
export function bearer(header: string | undefined): string | null {
  const match = /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(header ?? '')
  return match?.[1] ?? null
}
