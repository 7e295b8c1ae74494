/**
 * Reads and writes the frames of Git's protocols: four hex digits with the total length, then the bytes
 * (gitprotocol-common).
 */

/** The end of a list of lines. */
export const FLUSH = Buffer.from('0000')
const LENGTH_DIGITS = 4
const MAX_LINE_LENGTH = 65_520
/** Maximum payload of one side-band frame. The frame also contains its length and the band number. */
const MAX_PIECE_LENGTH = MAX_LINE_LENGTH - LENGTH_DIGITS - 1

/** Input that is not a valid pkt-line. */
export class BadPktLine extends Error {}

/** Encodes one line. Throws `RangeError` if it is too long. */
export function pktLine(content: string | Buffer): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const length = bytes.length + LENGTH_DIGITS
  if (length > MAX_LINE_LENGTH) throw new RangeError(`a line of ${length} bytes is too long`)
  return Buffer.concat([Buffer.from(length.toString(16).padStart(LENGTH_DIGITS, '0')), bytes])
}

/** Encodes bytes for a side band: 1 = the response, 2 = text for the user. */
export function sideBand(band: 1 | 2, bytes: Buffer): Buffer {
  const frames: Buffer[] = []
  for (let at = 0; at < bytes.length; at += MAX_PIECE_LENGTH)
    frames.push(pktLine(Buffer.concat([Buffer.from([band]), bytes.subarray(at, at + MAX_PIECE_LENGTH)])))
  return Buffer.concat(frames)
}

/** Reads lines from a request as its bytes arrive. The bytes after the lines stay unread. */
export class PktReader {
  readonly #pieces: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)
  #read = 0

  /** @param most maximum total size of all lines, in bytes */
  constructor(
    bytes: AsyncIterable<Uint8Array>,
    private readonly most: number,
  ) {
    this.#pieces = bytes[Symbol.asyncIterator]()
  }

  /** Returns the next line without its line feed; null = a flush, or the end of the request. Throws `BadPktLine`. */
  async line(): Promise<Buffer | null> {
    if (!(await this.#has(LENGTH_DIGITS))) {
      if (this.#rest.length === 0) return null
      throw new BadPktLine('The request ends in the middle of a line.')
    }
    const digits = this.#take(LENGTH_DIGITS).toString('latin1')
    const length = /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1
    if (length === 0) return null
    if (length < LENGTH_DIGITS || length > MAX_LINE_LENGTH)
      throw new BadPktLine('The request does not consist of pkt-lines.')
    if (!(await this.#has(length - LENGTH_DIGITS))) throw new BadPktLine('The request ends in the middle of a line.')
    const content = this.#take(length - LENGTH_DIGITS)
    return content.at(-1) === 0x0a ? content.subarray(0, -1) : content
  }

  /** Yields all bytes after the lines that were read. */
  async *rest(): AsyncGenerator<Uint8Array> {
    if (this.#rest.length > 0) yield this.#rest
    for (let next = await this.#pieces.next(); !next.done; next = await this.#pieces.next()) yield next.value
  }

  async #has(bytes: number): Promise<boolean> {
    // Concatenate once: a request can arrive byte by byte.
    const pieces: Uint8Array[] = [this.#rest]
    let length = this.#rest.length
    while (length < bytes) {
      const { done, value } = await this.#pieces.next()
      if (done) break
      pieces.push(value)
      length += value.length
    }
    if (pieces.length > 1) this.#rest = Buffer.concat(pieces, length)
    return length >= bytes
  }

  #take(bytes: number): Buffer {
    this.#read += bytes
    if (this.#read > this.most)
      throw new BadPktLine(
        `The commands of the push exceed the limit of ${this.most} bytes. Push fewer refs at a time.`,
      )
    const taken = this.#rest.subarray(0, bytes)
    this.#rest = this.#rest.subarray(bytes)
    return taken
  }
}
