// Compresses responses, and caches the compressed form of texts that are sent often.
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createDeflate, createGzip, deflate, gzip } from 'node:zlib'
import type { Context } from 'koa'
import { bodyOf, LargeBody } from './large-body.js'

/** Smaller responses fit into one packet without compression. */
const COMPRESS_BYTES = 1400
const WORTH_IT = /^(?:text\/|application\/(?:json|[\w.+-]+\+json)|image\/svg\+xml)/
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const codings = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, QUALITY),
  gzip: promisify(gzip),
  deflate: promisify(deflate),
}
type Coding = keyof typeof codings

/** Stream compressors for bodies in pieces. */
const compressors = { br: () => createBrotliCompress(QUALITY), gzip: createGzip, deflate: createDeflate }

/** The compressed forms of a text that is sent often. */
export type CodedCache = Map<Coding, Promise<Buffer>>

/**
 * Returns the coding to use: one that the client accepts, if the body is worth compressing. Null = send it
 * uncompressed.
 */
export function codingFor(ctx: Context, type: string, bytes: number): Coding | null {
  if (bytes < COMPRESS_BYTES || ctx.req.headers['accept-encoding'] === undefined || !WORTH_IT.test(type)) return null
  // Browsers accept all codings alike and name the best one last.
  const coding = ctx.acceptsEncodings('br') || ctx.acceptsEncodings('gzip', 'deflate', 'identity')
  return coding && Object.hasOwn(codings, coding) ? (coding as Coding) : null
}

/** Compresses the whole body at once. A stream would hold its compressor until the slowest client has read it. */
export function coded(coding: Coding, body: Buffer, cache?: CodedCache): Promise<Buffer>
export function coded(coding: Coding, body: Buffer | LargeBody, cache?: CodedCache): Promise<Buffer | LargeBody>
export async function coded(coding: Coding, body: Buffer | LargeBody, cache?: CodedCache): Promise<Buffer | LargeBody> {
  if (body instanceof LargeBody) {
    const pieces: Buffer[] = []
    for await (const piece of Readable.from(body.pieces).pipe(compressors[coding]())) pieces.push(piece)
    return bodyOf(pieces)
  }
  const known = cache?.get(coding)
  if (known) return known
  const made = codings[coding](body)
  cache?.set(coding, made)
  return made
}
