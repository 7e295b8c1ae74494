/** Lets requests wait for the end of a background task. A wake-up is only a hint, so waiting requests also poll. */

const POLL_MS = 1_000

export class Waits {
  // bound: requests in progress
  readonly #waiting = new Map<string, Set<() => void>>()
  #closed = false

  /**
   *
   * @param notifyOthers notifies other processes that a task may have ended; they call `wakeHere`
   */
  constructor(private readonly notifyOthers: (key: string) => void = () => {}) {}

  /** Waits until `isOver` returns true, for at most `ms` milliseconds, and not after the service stops. */
  async until(key: string, ms: number, isOver: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + ms
    for (let left = ms; left > 0 && !this.#closed && !(await isOver()); left = end - performance.now())
      await this.#hint(key, Math.min(left, POLL_MS))
  }

  /** Wakes the waiting requests in all processes: the task may have ended. */
  wake(key: string): void {
    this.wakeHere(key)
    this.notifyOthers(key)
  }

  /** Wakes the waiting requests in this process. */
  wakeHere(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake()
  }

  /** Releases all waiting requests. Later calls do not wait. */
  close(): void {
    this.#closed = true
    for (const key of this.#waiting.keys()) this.wakeHere(key)
  }

  async #hint(key: string, ms: number): Promise<void> {
    const own = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, own)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => wake(), ms)
      const wake = (): void => {
        clearTimeout(timer)
        own.delete(wake)
        if (own.size === 0 && this.#waiting.get(key) === own) this.#waiting.delete(key)
        resolve()
      }
      own.add(wake)
    })
  }
}
