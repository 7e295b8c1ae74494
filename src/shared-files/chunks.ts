/** Splits a stream of bytes into chunks for storage, and checks the content of a stream. */
import { createHash } from 'node:crypto'

/** Maximum number of bytes per row. */
export const CHUNK_BYTES = 1024 * 1024

/** The content of a file: its length in bytes and the hexadecimal SHA-256 of its bytes. */
export interface Content {
  size: number
  hash: string
}

/** The bytes of a file do not match its recorded size or hash. */
export class WrongBytes extends Error {
  constructor(what: string, found: Content, wanted: Content) {
    super(
      `${what} has ${found.size} bytes with the hash ${found.hash}, but it should have ${wanted.size} with the hash ${wanted.hash}`,
    )
    this.name = 'WrongBytes'
  }
}

/** Yields the same bytes in chunks of `CHUNK_BYTES`; the last may be shorter. An empty stream has one empty chunk. */
export async function* inChunks(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  // bound: one chunk, and one part of the stream
  let held: Uint8Array[] = []
  let length = 0
  let any = false
  for await (const part of bytes) {
    held.push(part)
    length += part.byteLength
    while (length >= CHUNK_BYTES) {
      const all = Buffer.concat(held)
      yield all.subarray(0, CHUNK_BYTES)
      any = true
      held = [all.subarray(CHUNK_BYTES)]
      length -= CHUNK_BYTES
    }
  }
  if (length > 0 || !any) yield Buffer.concat(held)
}

/** Passes bytes on, and throws `WrongBytes` at the end if they do not match `wanted`. */
export async function* checked(
  bytes: AsyncIterable<Uint8Array>,
  wanted: Content,
  what: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let size = 0
  for await (const part of bytes) {
    size += part.byteLength
    hash.update(part)
    yield part
  }
  const found = { size, hash: hash.digest('hex') }
  if (found.size !== wanted.size || found.hash !== wanted.hash) throw new WrongBytes(what, found, wanted)
}

/** Reads a stream to its end and returns its size and hash. */
export async function contentOf(bytes: AsyncIterable<Uint8Array>): Promise<Content> {
  const hash = createHash('sha256')
  let size = 0
  for await (const part of bytes) {
    size += part.byteLength
    hash.update(part)
  }
  return { size, hash: hash.digest('hex') }
}
