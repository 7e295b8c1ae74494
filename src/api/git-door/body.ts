/** Reads the request bodies of Git clients, which may be compressed. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ServiceError } from '../../kernel/errors.js'
import { paced } from '../pipeline/incoming.js'

/**
 * Yields the unpacked bytes of a body as they arrive, at the minimum pace of other bodies.
 * Throws 400 if it ends early or does not match its Content-Encoding gzip, 408, 415.
 */
export function arriving(body: IncomingMessage): AsyncIterable<Buffer> {
  const encoding = body.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return paced(body)
  if (encoding === 'gzip' || encoding === 'x-gzip') return unzipped(paced(body))
  throw new ServiceError(
    'unsupported-media-type',
    `The Content-Encoding ${encoding.slice(0, 50)} is not supported. Use gzip or none.`,
  )
}

async function* unzipped(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(packed, { objectMode: false })
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  try {
    const pieces: AsyncIterable<Buffer> = source.pipe(gunzip)
    yield* pieces
  } catch (error) {
    throw error instanceof ServiceError
      ? error
      : new ServiceError(
          'bad-request',
          'The body is not valid gzip, although its Content-Encoding is gzip. Send it again.',
        )
  } finally {
    source.destroy()
  }
}

/** Reads a small body. `take` gets the size of each piece. Throws 400, 408, 413, 415, and the errors of `take`. */
export async function whole(body: IncomingMessage, maxBytes: number, take: (bytes: number) => void): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of arriving(body)) {
    length += piece.length
    if (length > maxBytes)
      throw new ServiceError(
        'too-large',
        `The request exceeds the limit of ${maxBytes} bytes. Fetch fewer branches at a time.`,
      )
    take(piece.length)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
