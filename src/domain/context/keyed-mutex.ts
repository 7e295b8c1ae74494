/** Runs work with the same key one after the other, and work with different keys concurrently. */
export class KeyedMutex {
  // bound: requests and jobs in progress
  readonly #tails = new Map<string, Promise<unknown>>()

  /** Runs `work` when everything queued before under `key` has ended, whether it succeeded or failed. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    const result = before.then(work, work)
    const tail = result.then(
      () => undefined,
      () => undefined,
    )
    this.#tails.set(key, tail)
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    })
    return result
  }

  /** Resolves when nothing is running or queued. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values())
  }
}
