/** Work that is done a short time after it was asked for: once, however often it is asked for meanwhile. */
import { AsyncResource } from 'node:async_hooks'

/** Tasks by key; each is run once after a pause. Nothing of it survives the process: callers find what was missed by other means. */
export class Soon {
  /** Tasks that have not begun; `over` resolves when they have, or are dropped. */
  // bound: the keys of the caller (spaces, organizations, connections)
  readonly #waiting = new Map<string, { over: Promise<void>; drop(): void }>()
  // bound: the tasks that have begun, at most one of a key in each pause
  readonly #running = new Set<Promise<void>>()
  #stopped = false

  /** `pauseMs`: milliseconds between the first request and the task. `failed` is called with what a task throws, unless everything is stopped. */
  constructor(
    readonly pauseMs: number,
    readonly failed: (error: unknown) => void,
  ) {}

  /** Whether a task is waiting or running. */
  get busy(): boolean {
    return this.#waiting.size + this.#running.size > 0
  }

  /** Runs the task after the pause, unless one with this key is waiting already. One that has begun does not count: it may have read what is old by now. */
  // In the context of the constructor, not of the caller: in a transaction's, another transaction would be refused.
  readonly ask = AsyncResource.bind((key: string, task: () => Promise<unknown>): void => {
    if (this.#stopped || this.#waiting.has(key)) return
    let drop = (): void => {}
    const over = new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(key)
        this.run(task)
        resolve()
      }, this.pauseMs).unref()
      drop = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#waiting.set(key, { over, drop })
  })

  /** Runs a task at once. */
  run(task: () => Promise<unknown>): void {
    if (this.#stopped) return
    const done: Promise<void> = task()
      .then(() => {})
      .catch((error: unknown) => {
        if (!this.#stopped) this.failed(error)
      })
      .finally(() => this.#running.delete(done))
    this.#running.add(done)
  }

  /** Resolves when no task is waiting or running. */
  async idle(): Promise<void> {
    while (this.busy) await Promise.all([...this.#running, ...[...this.#waiting.values()].map(({ over }) => over)])
  }

  /** Drops what waits, and resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const { drop } of this.#waiting.values()) drop()
    this.#waiting.clear()
    await Promise.all(this.#running)
  }
}
