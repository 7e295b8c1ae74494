/** Bodies that are too large to be kept as one buffer, such as the pages of a space with tens of thousands of them. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { joinInSlices, lengthOf } from '../../kernel/raw-json.js'
import { eachInSlices } from '../../kernel/slices.js'
import { MAX_KEPT_BYTES } from './response-cache.js'

/** A body in pieces, which are never joined. Each piece is freed when it is sent, so a body is sent once. */
export class LargeBody {
  readonly length: number

  constructor(readonly pieces: readonly Uint8Array[]) {
    this.length = lengthOf(pieces)
  }

  /** The opaque tag of the body, as `tagOfBytes` makes it, computed in slices. */
  async tag(): Promise<string> {
    const hash = createHash('sha1')
    await eachInSlices(this.pieces, (piece) => void hash.update(piece))
    return hash.digest('base64url')
  }

  stream(): Readable {
    const left = this.pieces.toReversed()
    const taken = function* () {
      for (let piece = left.pop(); piece; piece = left.pop()) yield piece
    }
    return Readable.from(taken(), { objectMode: false })
  }
}

/** The body that consists of these pieces: one buffer, joined in slices, unless it is too large to be kept. */
export const bodyOf = async (pieces: readonly Uint8Array[]): Promise<Buffer | LargeBody> =>
  lengthOf(pieces) > MAX_KEPT_BYTES ? new LargeBody(pieces) : joinInSlices(pieces)
