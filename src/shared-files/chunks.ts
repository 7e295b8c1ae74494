/** Cuts a stream of bytes into the chunks that are stored, and checks what a stream contains. */
import { createHash } from 'node:crypto'

/** Most bytes of one row. */
export const CHUNK_BYTES = 1024 * 1024

/** What a file contains: its length in bytes and the SHA-256 of its bytes, hexadecimal. */
export interface Content {
  size: number
  hash: string
}

/** The bytes of a file differ from what is said of them. */
export class WrongBytes extends Error {
  constructor(what: string, found: Content, wanted: Content) {
    super(
      `${what} has ${found.size} bytes with the hash ${found.hash}, but it should have ${wanted.size} with the hash ${wanted.hash}`,
    )
    this.name = 'WrongBytes'
  }
}

/** The same bytes in chunks of `CHUNK_BYTES`, but for the last one. An empty stream has one empty chunk. */
export async function* inChunks(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  // bound: one chunk, and what the stream hands out at a time
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

/** Passes bytes on, and throws `WrongBytes` at the end if they are not those that were promised. */
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

/** Reads a stream to its end and returns what it contains. */
export async function contentOf(bytes: AsyncIterable<Uint8Array>): Promise<Content> {
  const hash = createHash('sha256')
  let size = 0
  for await (const part of bytes) {
    size += part.byteLength
    hash.update(part)
  }
  return { size, hash: hash.digest('hex') }
}
