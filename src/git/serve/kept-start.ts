/** The bytes of a pack as they arrive, of which the first are kept, so that a small pack can be read twice. */

/** A larger pack is read once. */
const MOST_KEPT = 4 * 1024 * 1024

/** Reads a source of bytes once, and keeps its start. */
export class KeptStart {
  readonly #pieces: AsyncIterator<Uint8Array>
  #kept: Uint8Array[] | null = []
  #length = 0
  #over = false

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#pieces = bytes[Symbol.asyncIterator]()
  }

  /** The first `count` bytes, and what came with them; fewer if there are no more. Call it before the others. */
  async first(count: number): Promise<Buffer> {
    while (this.#length < count && (await this.#next()) !== null);
    return Buffer.concat(this.#kept ?? [])
  }

  /** All bytes, from the first on. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    for (const piece of [...(this.#kept ?? [])]) yield piece
    for (let piece = await this.#next(); piece !== null; piece = await this.#next()) yield piece
  }

  /** All bytes once more, also those that were not read yet; null if there are too many. */
  async whole(): Promise<readonly Uint8Array[] | null> {
    while (this.#kept !== null && (await this.#next()) !== null);
    return this.#kept
  }

  async #next(): Promise<Uint8Array | null> {
    if (this.#over) return null
    const { done, value } = await this.#pieces.next()
    this.#over = done === true
    if (done) return null
    this.#length += value.length
    if (this.#length > MOST_KEPT) this.#kept = null
    else this.#kept?.push(value)
    return value
  }
}
