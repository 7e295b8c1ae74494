/** Computes ETags, and compares them with the `If-None-Match` and `If-Match` headers of requests. */
import { hashOf } from './hash.js'

const CODING = /-(?:gzip|br|deflate|zstd)$/

/** The opaque tag (no quotes) of bytes. */
export const tagOfBytes = (body: string | Buffer): string => hashOf('sha1', body)

/** The opaque tag of what a response depends on: equal only if all parts are. */
export const tagOfParts = (parts: readonly string[]): string => hashOf('sha1', JSON.stringify(parts))

/** The tag inside an entity tag, without quotes, weakness and the coding that compression adds. */
const opaque = (text: string): string => {
  const bare = text.trim().replace(/^W\//, '')
  return bare.startsWith('"') && bare.endsWith('"') && bare.length >= 2 ? bare.slice(1, -1).replace(CODING, '') : bare
}

/** Whether `If-None-Match` names the tag. */
export function noneMatches(header: string | undefined, tag: string): boolean {
  return header !== undefined && (header.trim() === '*' || header.split(',').some((one) => opaque(one) === tag))
}

/** The single tag of `If-Match`, or null if there is none. */
export const ifMatch = (header: string | undefined): string | null => (header === undefined ? null : opaque(header))
