/** Computes ETags, and compares them with the `If-None-Match` and `If-Match` headers of requests. */
import * as crypto from 'node:crypto'

const CODING = /-(?:gzip|br|deflate|zstd)$/

type OneShot = (algorithm: string, data: string | Buffer, encoding: 'base64url') => string
// one call if Node has it (20.12 and later), half the cost of an object per hash
const oneShot = (crypto as unknown as { hash?: OneShot }).hash
const sha1: (data: string | Buffer) => string = oneShot
  ? (data) => oneShot('sha1', data, 'base64url')
  : (data) => crypto.createHash('sha1').update(data).digest('base64url')

/** The opaque tag (no quotes) of bytes. */
export const tagOfBytes = (body: string | Buffer): string => sha1(body)

/** The opaque tag of what a response depends on: equal only if all parts are. */
export const tagOfParts = (parts: readonly string[]): string => sha1(JSON.stringify(parts))

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
