/** Hashes bytes and texts, as base64url. */
import { hash } from 'node:crypto'

/** Hashes in one call, which takes half the time of creating a hash object. */
export const hashOf = (algorithm: 'sha1' | 'sha256', data: string | Buffer): string =>
  hash(algorithm, data, 'base64url')
