/** Runs passes over work that may be due: one at a time, when woken and when the next work is due. */
import { AsyncResource } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'

/** Node fires longer timers at once. A pass without due work sets the next one. */
const MAX_TIMER_MS = 60 * 60 * 1000
const MIN_TIMER_MS = 10

interface PassOptions {
  /** Does the due work. Returns the milliseconds until more is due, or null if only `wake` starts the next pass. */
  pass(): Promise<number | null>
  /** Receives the error of a failed pass. */
  failed(error: unknown): void
  /** Time after a failed pass until the next one, in milliseconds. */
  restMs: number
}

/** At least one pass begins after each call of `wake`. Calls while a pass is pending cause no further one. */
export class Passes {
  #running: Promise<void> = Promise.resolve()
  #isPending = false
  /** Number of passes that are pending or running. */
  #open = 0
  #isStopped = false
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  constructor(readonly options: PassOptions) {}

  /** Starts a pass, after the running one if there is one. May be called in a transaction. */
  // Bound to the context of the constructor. In the context of a caller's transaction, another transaction would be
  // rejected.
  readonly wake = AsyncResource.bind((): void => {
    if (this.#isStopped || this.#isPending) return
    this.#isPending = true
    this.#open++
    this.#running = this.#running.then(() => this.#pass()).finally(() => void this.#open--)
  })

  /** Starts a pass after this many milliseconds, unless an earlier one is scheduled. */
  wakeIn(ms: number): void {
    const at = performance.now() + ms
    if (this.#isStopped || at >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(ms, MIN_TIMER_MS), MAX_TIMER_MS)).unref()
  }

  /** Whether a pass is pending or running. */
  get isBusy(): boolean {
    return this.#open > 0
  }

  /** Resolves when no pass is pending or running. */
  async idle(): Promise<void> {
    while (this.isBusy) await this.#running
  }

  /** Starts no more passes, and resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unset()
    await this.#running
  }

  async #pass(): Promise<void> {
    this.#isPending = false
    this.#unset()
    if (this.#isStopped) return
    try {
      const next = await this.options.pass()
      if (next !== null) this.wakeIn(next)
    } catch (error) {
      this.options.failed(error)
      this.wakeIn(this.options.restMs)
    }
  }

  #unset(): void {
    clearTimeout(this.#timer)
    this.#timerAt = Number.POSITIVE_INFINITY
  }
}

/** Repeats work until the signal is aborted, with a pause in milliseconds between. `failed` receives the errors. */
export async function repeat(
  signal: AbortSignal,
  restMs: number,
  work: () => Promise<unknown>,
  failed: (error: unknown) => void = () => {},
): Promise<void> {
  while (!signal.aborted) {
    await work().catch(failed)
    await wait(restMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }))
