/** Shares computations: concurrent requests for the same value wait for the first one. */
import type { App } from '../context/app.js'

/** Results of one kind, by key. The caches of different services in one process are separate. */
export class SharedWork<T> {
  // bound: what requests and jobs work at
  readonly #running = new WeakMap<App['content'], Map<string, Promise<T>>>()

  /** Returns the result of the computation in progress for this key, or starts it. */
  run({ content }: App, key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(content) ?? new Map<string, Promise<T>>()
    this.#running.set(content, running)
    const started = running.get(key) ?? untilDone(running, key, work)
    running.set(key, started)
    return started
  }

  /** Returns the result of the computation in progress for this key. Undefined if there is none or it fails. */
  async find({ content }: App, key: string): Promise<T | undefined> {
    return this.#running
      .get(content)
      ?.get(key)
      ?.catch(() => undefined)
  }
}

/** Runs the work and removes its key when it is done. */
async function untilDone<T>(running: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    running.delete(key)
  }
}
