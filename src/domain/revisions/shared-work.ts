/** What several requests need at the same time is worked out once: whoever comes later waits for the first. */
import type { App } from '../context/app.js'

/** Results of one kind, by key. Those of different services in one process are kept apart by their caches. */
export class SharedWork<T> {
  // bound: what requests and jobs work at
  readonly #running = new WeakMap<App['content'], Map<string, Promise<T>>>()

  /** What the work under way for this key returns, or throws; it is begun if there is none. */
  run({ content }: App, key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(content) ?? new Map<string, Promise<T>>()
    this.#running.set(content, running)
    const started = running.get(key) ?? work().finally(() => running.delete(key))
    running.set(key, started)
    return started
  }

  /** What the work under way for this key returns; undefined if there is none, or if it fails. */
  async find({ content }: App, key: string): Promise<T | undefined> {
    return this.#running
      .get(content)
      ?.get(key)
      ?.catch(() => undefined)
  }
}
