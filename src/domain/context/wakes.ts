/** Work in the background that can be woken. */
interface Sleeper {
  /** The worker, after jobs were queued. */
  jobs(): void
  /** The sender of webhooks, after an organization got new events. */
  webhooks(organization: string): void
  /** The driver of connections. If a connection is named, its repository is polled at once. */
  connections(hint?: { connection: string }): void
}

/**
 * Wakes the background work, on this node or another one. It may be called in a transaction, and takes effect after
 * the commit; otherwise the work would read too early. Without background work, nothing happens.
 */
export class Wakes implements Sleeper {
  #sleeper: Partial<Sleeper> = {}

  /** @param afterwards calls a function after the caller's transaction; by default at once, for a store that allows it */
  constructor(private readonly afterwards: (work: () => void) => void = (work) => work()) {}

  /** Sets the work that is woken from now on. */
  connect(sleeper: Partial<Sleeper>): void {
    this.#sleeper = sleeper
  }

  jobs(): void {
    this.afterwards(() => this.#sleeper.jobs?.())
  }

  webhooks(organization: string): void {
    this.afterwards(() => this.#sleeper.webhooks?.(organization))
  }

  connections(hint?: { connection: string }): void {
    this.afterwards(() => this.#sleeper.connections?.(hint))
  }
}
