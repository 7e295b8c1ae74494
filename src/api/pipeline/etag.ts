/** Computes ETags, and compares them with the `If-None-Match` and `If-Match` headers of requests. */
import { hash } from 'node:crypto'

/** Hashes in one call, which takes half the time of creating a hash object. */
export const hashOf = (algorithm: 'sha1' | 'sha256', data: string | Buffer): string =>
  hash(algorithm, data, 'base64url')

const CODING = /-(?:gzip|br|deflate|zstd)$/

/** Returns the opaque tag (without quotes) of bytes. */
export const tagOfBytes = (body: string | Buffer): string => hashOf('sha1', body)

/** Returns the opaque tag of the parts that a response depends on. Tags are equal only if all parts are. */
export const tagOfParts = (parts: readonly string[]): string => hashOf('sha1', JSON.stringify(parts))

/** Returns the tag inside an entity tag, without quotes, weakness mark and compression suffix. */
const opaque = (text: string): string => {
  const bare = text.trim().replace(/^W\//, '')
  return bare.startsWith('"') && bare.endsWith('"') && bare.length >= 2 ? bare.slice(1, -1).replace(CODING, '') : bare
}

/** Whether `If-None-Match` contains the tag. */
export function noneMatches(header: string | undefined, tag: string): boolean {
  return header !== undefined && (header.trim() === '*' || header.split(',').some((one) => opaque(one) === tag))
}

/** Returns the single tag of `If-Match`, or null if there is none. */
export const ifMatch = (header: string | undefined): string | null => (header === undefined ? null : opaque(header))
