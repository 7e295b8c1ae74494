// API tokens: how they are made, read from a header, and hashed for storing.
import { createHash } from 'node:crypto'
import { newSecret } from '../kernel/ids.js'

/** The start of every API token, by which scanners recognize one that leaked. */
const PREFIX = 'bindery_'

/** A new API token: 256 random bits. */
export const newToken = (): string => PREFIX + newSecret()

/** SHA-256, hexadecimal: this is stored instead of the token. The token is random, so a fast hash is enough. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The token of an `Authorization: Bearer …` header, or null. */
export function bearer(header: string | undefined): string | null {
  const match = /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(header ?? '')
  return match?.[1] ?? null
}
