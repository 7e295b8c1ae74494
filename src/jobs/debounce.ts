/** Runs tasks shortly after they are requested. Several requests within the pause cause a single run. */
import { AsyncResource } from 'node:async_hooks'

/**
 * Runs each task once after a pause, by key. Pending tasks are lost when the process ends; callers find missed work in
 * other ways.
 */
export class Debouncer {
  /** Pending tasks. `over` resolves when a task starts or is dropped. */
  // bound: the keys of the caller (spaces, organizations, connections)
  readonly #waiting = new Map<string, { over: Promise<void>; drop(): void }>()
  // bound: the running tasks, at most one per key in each pause
  readonly #running = new Set<Promise<void>>()
  #stopped = false

  /**
   * `pauseMs`: milliseconds between the first request and the task. `failed` receives errors of tasks, unless
   * everything is stopped.
   */
  constructor(
    readonly pauseMs: number,
    readonly failed: (error: unknown) => void,
  ) {}

  /** Whether a task is pending or running. */
  get busy(): boolean {
    return this.#waiting.size + this.#running.size > 0
  }

  /**
   * Runs the task after the pause, unless a task with this key is pending. A running one does not count: it may have
   * read old data.
   */
  // Bound to the context of the constructor. In the context of a caller's transaction, another transaction would be
  // rejected.
  readonly schedule = AsyncResource.bind((key: string, task: () => Promise<unknown>): void => {
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

  /** Runs a task immediately. */
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

  /** Resolves when no task is pending or running. */
  async idle(): Promise<void> {
    while (this.busy) await Promise.all([...this.#running, ...[...this.#waiting.values()].map(({ over }) => over)])
  }

  /** Drops pending tasks, and resolves when running ones have ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const { drop } of this.#waiting.values()) drop()
    this.#waiting.clear()
    await Promise.all(this.#running)
  }
}
