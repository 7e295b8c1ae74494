/** A buffer for the output of a Git process, which may arrive in many small pieces. */

const NOTHING: Buffer = Buffer.alloc(0)

/**
 * The unread output of a process. A long output may arrive in tens of thousands of small pieces. Each byte is copied
 * only a bounded number of times.
 */
export class ByteQueue {
  #store: Buffer = NOTHING
  #length = 0

  /** Number of unread bytes. */
  get length(): number {
    return this.#length
  }

  /** Adds a piece. `need` is the total number of bytes that the reader needs, as far as known. */
  add(piece: Buffer, need: number): void {
    const length = this.#length + piece.length
    if (this.#length === 0) this.#store = piece
    else {
      if (length > this.#store.length) this.#grow(Math.max(need, 2 * length))
      piece.copy(this.#store, this.#length)
    }
    this.#length = length
  }

  /** Returns all unread bytes in one buffer, which later calls do not change. */
  get bytes(): Buffer {
    return this.#store.subarray(0, this.#length)
  }

  /** Removes the first `count` bytes. */
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
