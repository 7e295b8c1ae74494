/** What was opened and has to be closed again, the last first; also if the start fails half-way. */
export class Closers {
  // bound: what a service opens, a handful
  readonly #all: (() => Promise<unknown>)[] = []

  add(close: () => Promise<unknown>): void {
    this.#all.unshift(close)
  }

  async close(): Promise<void> {
    for (const close of this.#all) await close()
  }
}
