/** Requests that wait for the end of something that runs in the background. A wake-up is only a hint: whoever waits also looks from time to time. */

const LOOK_MS = 1_000

export class Waits {
  // bound: requests in progress
  readonly #waiting = new Map<string, Set<() => void>>()
  #closed = false

  /** @param tell tells other processes that something may be over; they call `wakeHere` */
  constructor(private readonly tell: (key: string) => void = () => {}) {}

  /** Waits until `isOver`, but no longer than `ms`, and not once the service stops. */
  async until(key: string, ms: number, isOver: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + ms
    for (let left = ms; left > 0 && !this.#closed && !(await isOver()); left = end - performance.now())
      await this.#hint(key, Math.min(left, LOOK_MS))
  }

  /** Says that it may be over. */
  wake(key: string): void {
    this.wakeHere(key)
    this.tell(key)
  }

  /** Says so to those who wait in this process. */
  wakeHere(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake()
  }

  /** Lets everybody go on; nobody waits from now on. */
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
