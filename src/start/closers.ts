/** Closes resources in reverse order of their opening, even if the start fails midway. */
export class Closers {
  // bound: resources that a service opens, a handful
  readonly #all: (() => Promise<unknown>)[] = []

  add(close: () => Promise<unknown>): void {
    this.#all.unshift(close)
  }

  async close(): Promise<void> {
    for (const close of this.#all) await close()
  }
}
