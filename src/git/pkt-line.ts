/**
 * Reads and writes the frames of Git's protocols (gitprotocol-common): four hex digits with the total length, then the
 * bytes. A length below 4 is a special packet without bytes.
 */

/** A pkt-line: its bytes, or a special packet. */
export type Packet = Buffer | 'flush' | 'delimiter' | 'response-end'

/** The end of a list of lines. */
export const FLUSH = Buffer.from('0000')
/** The boundary between two parts of a message. */
export const DELIMITER = Buffer.from('0001')
/** The special packets, at the index of their length. No packet has the length 3. */
const SPECIAL = ['flush', 'delimiter', 'response-end'] as const
const LENGTH_DIGITS = 4
const MAX_LINE_LENGTH = 65_520
/** Maximum payload of one side-band frame. The frame also contains its length and the band number. */
const MAX_PIECE_LENGTH = MAX_LINE_LENGTH - LENGTH_DIGITS - 1
const LINE_FEED = 0x0a

/** Input that does not consist of valid pkt-lines. */
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

/** Maximum total size of the packets that a reader returns, and the error for input beyond it. */
interface PktLimit {
  bytes: number
  exceeded: () => Error
}

/** Reads packets as their bytes arrive. The bytes after the packets stay unread. */
export class PktReader {
  readonly #pieces: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)
  #read = 0

  /** @param limit null if the reader of the packets limits their size */
  constructor(
    bytes: AsyncIterable<Uint8Array>,
    private readonly limit: PktLimit | null,
  ) {
    this.#pieces = bytes[Symbol.asyncIterator]()
  }

  /** Returns the next packet; null = the end of the input. Throws `BadPktLine`, and the error of the limit. */
  async packet(): Promise<Packet | null> {
    if (!(await this.#has(LENGTH_DIGITS))) {
      if (this.#rest.length === 0) return null
      throw new BadPktLine('The data ends in the middle of a line.')
    }
    const digits = this.#take(LENGTH_DIGITS).toString('latin1')
    const length = /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1
    const special = SPECIAL[length]
    if (special !== undefined) return special
    if (length < LENGTH_DIGITS || length > MAX_LINE_LENGTH)
      throw new BadPktLine('The data does not consist of pkt-lines.')
    if (!(await this.#has(length - LENGTH_DIGITS))) throw new BadPktLine('The data ends in the middle of a line.')
    return this.#take(length - LENGTH_DIGITS)
  }

  /**
   * Returns the next line without its line feed; null = a flush, or the end of the input. Throws `BadPktLine`, also for
   * the other special packets, and the error of the limit.
   */
  async line(): Promise<Buffer | null> {
    const packet = await this.packet()
    if (packet === null || packet === 'flush') return null
    if (typeof packet === 'string') throw new BadPktLine(`The data contains a ${packet} packet instead of a line.`)
    return packet.at(-1) === LINE_FEED ? packet.subarray(0, -1) : packet
  }

  /** Yields all bytes after the packets that were read. */
  async *rest(): AsyncGenerator<Uint8Array> {
    if (this.#rest.length > 0) yield this.#rest
    for (let next = await this.#pieces.next(); !next.done; next = await this.#pieces.next()) yield next.value
  }

  /** Ends the input. */
  async close(): Promise<void> {
    await this.#pieces.return?.()
  }

  async #has(bytes: number): Promise<boolean> {
    // Concatenate once: the input can arrive byte by byte.
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
    if (this.limit !== null && this.#read > this.limit.bytes) throw this.limit.exceeded()
    const taken = this.#rest.subarray(0, bytes)
    this.#rest = this.#rest.subarray(bytes)
    return taken
  }
}
