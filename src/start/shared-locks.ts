/** The locks of spaces on nodes: a lease that all nodes share, with a queue within the process. */
import type { Locks } from '../domain/context/locks.js'
import type { Lease } from '../kernel/lease.js'
import type { Leases } from '../postgres/index.js'

/** Prefix of the leases of spaces. */
export const SPACES = 'space:'

export class SharedLocks implements Locks {
  // bound: running requests and jobs
  readonly #running = new Set<Promise<unknown>>()

  /** @param refresh updates this node's copy of a space, because another node may have held the lock before */
  constructor(
    private readonly leases: Pick<Leases, 'run'>,
    private readonly refresh: (key: string) => Promise<void>,
  ) {}

  /** As in `Locks`. Throws `DatabaseAway`. */
  async run<T>(key: string, work: (lease: Lease) => Promise<T>): Promise<T> {
    const running = this.leases.run(SPACES + key, async (lease) => {
      await this.refresh(key)
      return work(lease)
    })
    const over = running.then(
      () => undefined,
      () => undefined,
    )
    this.#running.add(over)
    void over.then(() => this.#running.delete(over))
    return running
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
