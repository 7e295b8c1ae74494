/** Reads the bodies that Git clients send, which may be compressed. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ServiceError } from '../../kernel/errors.js'

/** The bytes of a body, unpacked. Throws 415. */
export function unpacked(headers: IncomingHttpHeaders, body: Readable): Readable {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return body
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new ServiceError('unsupported-media-type', `The encoding ${encoding.slice(0, 50)} is not supported. Use gzip or none.`)
  const gunzip = createGunzip()
  body.on('error', (error) => gunzip.destroy(error))
  return body.pipe(gunzip)
}

/** The bytes of a body as they arrive. Throws 400 if it ends early. */
export async function* arriving(bytes: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const piece of bytes as AsyncIterable<Buffer>) yield piece
  } catch {
    throw new ServiceError('bad-request', 'The body ended early, or is not the gzip that its Content-Encoding says. Send it again.')
  }
}

/** All bytes of a small body. Throws 400, 413, and what `take` throws, which gets the size of each piece. */
export async function whole(bytes: Readable, most: number, take: (bytes: number) => void): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of arriving(bytes)) {
    length += piece.length
    if (length > most) throw new ServiceError('too-large', `The request has more than ${most} bytes. Fetch fewer branches at a time.`)
    take(piece.length)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
