/** The repository copies that a node has in memory. */
import type { BoundedCache, MemoryBudget } from '../../kernel/memory-budget.js'
import type { SharedRepository } from './repository.js'

/**
 * Repository copies by name. A copy in use can always be found, since two copies of one repository would not see each
 * other's moves. Unused copies stay within the memory budget.
 */
export class NodeCopies {
  readonly #kept: BoundedCache<SharedRepository>
  // bound: the copies in the budget, and those in use by requests and jobs
  readonly #held = new Map<string, WeakRef<SharedRepository>>()
  readonly #collected = new FinalizationRegistry<string>((name) => {
    if (this.#held.get(name)?.deref() === undefined) this.#held.delete(name)
  })

  constructor(budget: MemoryBudget) {
    this.#kept = budget.cache({ weigh: (one) => one.bytes })
  }

  find(name: string): SharedRepository | undefined {
    return this.#kept.get(name) ?? this.#held.get(name)?.deref()
  }

  get(name: string, make: () => SharedRepository): SharedRepository {
    const known = this.find(name)
    if (known) return known
    const made = make()
    this.#held.set(name, new WeakRef(made))
    this.#collected.register(made, name)
    return made
  }

  /** Marks a copy as recently used and updates its weight in the budget. */
  keep(name: string): void {
    const held = this.#held.get(name)?.deref()
    if (held) this.#kept.set(name, held)
  }

  forget(name: string): void {
    this.#kept.delete(name)
    this.#held.delete(name)
  }
}
