/** Measures how long a task only waits for a remote server, so that its slot can go to another task. */
import { AsyncLocalStorage } from 'node:async_hooks'

/** A task is stalled after this many consecutive ticks (seconds) of waiting with less than `MIN_BYTES_PER_TICK`. */
const STALLED_TICKS = 3
const MIN_BYTES_PER_TICK = 1024

/** The requests of one task to remote servers. */
export class RemoteWatch {
  #open = 0
  #bytes = 0
  #quietTicks = 0

  begin(): void {
    this.#open++
  }

  end(): void {
    this.#open--
  }

  received(bytes: number): void {
    this.#bytes += bytes
  }

  /** Closes one period of measurement. Returns whether the task is stalled. */
  tick(): boolean {
    const isQuiet = this.#open > 0 && this.#bytes < MIN_BYTES_PER_TICK
    this.#bytes = 0
    this.#quietTicks = isQuiet ? this.#quietTicks + 1 : 0
    return this.#quietTicks >= STALLED_TICKS
  }
}

const current = new AsyncLocalStorage<RemoteWatch>()
let users = 0

/** Runs a task. Requests that it starts count in `watch`. */
export async function watchRemote<T>(watch: RemoteWatch, task: () => Promise<T>): Promise<T> {
  users++
  try {
    return await current.run(watch, task)
  } finally {
    // Before Node 24, an AsyncLocalStorage in use slows down all promises of the process. `run` enables it again.
    if (--users === 0) current.disable()
  }
}

/** Runs work that waits for a remote server. */
export async function awaitRemote<T>(work: () => Promise<T>): Promise<T> {
  const watch = current.getStore()
  watch?.begin()
  try {
    return await work()
  } finally {
    watch?.end()
  }
}

/** Reports bytes that arrived from a remote server. */
export const receivedFromRemote = (bytes: number): void => current.getStore()?.received(bytes)
