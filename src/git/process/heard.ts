const NOTHING: Buffer = Buffer.alloc(0)

/**
 * What a process has said and nobody has taken yet. A long answer may come in tens of thousands of small pieces: each byte is
 * copied a bounded number of times, however they come.
 */
export class Heard {
  #store: Buffer = NOTHING
  #length = 0

  /** Bytes that wait. */
  get length(): number {
    return this.#length
  }

  /** Adds a piece; `need`: how many bytes the reader wants in all, as far as it knows. */
  add(piece: Buffer, need: number): void {
    const length = this.#length + piece.length
    if (this.#length === 0) this.#store = piece
    else {
      if (length > this.#store.length) this.#grow(Math.max(need, 2 * length))
      piece.copy(this.#store, this.#length)
    }
    this.#length = length
  }

  /** All that waits, as one piece, which what comes later leaves as it is. */
  get bytes(): Buffer {
    return this.#store.subarray(0, this.#length)
  }

  /** Lets go of the first `count` bytes. */
  drop(count: number): void {
    this.#length -= count
    this.#store = this.#length === 0 ? NOTHING : this.#store.subarray(count, count + this.#length)
  }

  #grow(size: number): void {
    const store = Buffer.allocUnsafeSlow(size)
    this.#store.copy(store, 0, 0, this.#length)
    this.#store = store
  }
}
