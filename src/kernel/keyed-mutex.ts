/** Locks by name within this process. */
import type { Lease } from './lease.js'

/** Runs work with the same key one after another, and work with different keys concurrently. */
export class KeyedMutex {
  // bound: running requests and jobs
  readonly #tails = new Map<string, Promise<unknown>>()

  /**
   * Runs `work` after all earlier work with this key has ended, successfully or not. The lease is valid until `work`
   * ends.
   */
  run<T>(key: string, work: (lease: Lease) => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    const holding = () => whileHeld(key, work)
    const result = before.then(holding, holding)
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

  /** Whether work is running or queued under `key`. */
  has(key: string): boolean {
    return this.#tails.has(key)
  }

  /** Resolves when no work is running or queued. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values())
  }
}

async function whileHeld<T>(key: string, work: (lease: Lease) => Promise<T>): Promise<T> {
  let held = true
  const assertHeld = (): void => {
    if (!held) throw new Error(`The lock of ${key} was released before the ref was moved.`)
  }
  try {
    return await work({ assertHeld })
  } finally {
    held = false
  }
}
