import { createHash } from 'node:crypto'
import { newSecret } from '../kernel/ids.js'

/** What an API token begins with, so that scanners find one that leaked. */
const PREFIX = 'bindery_'

/** A new API token: 256 random bits. */
export const newToken = (): string => PREFIX + newSecret()

/** SHA-256, hexadecimal: what is stored in a token's place. The token is random, so a fast hash is enough. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The token of an `Authorization: Bearer …` header, or null. */
export function bearer(header: string | undefined): string | null {
  const match = /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(header ?? '')
  return match?.[1] ?? null
}
