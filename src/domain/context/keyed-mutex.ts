/** Runs work of one key one after the other, work of different keys side by side. */
export class KeyedMutex {
  // bound: requests and jobs under way
  readonly #tails = new Map<string, Promise<unknown>>()

  /** Runs `work` when everything queued before under `key` has ended, whatever its outcome. */
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
