/** The copies of the repositories that a node has in memory. */
import type { BoundedCache, MemoryBudget } from '../../kernel/memory-budget.js'
import type { SharedRepository } from './repository.js'

/**
 * By name. As long as somebody refers to one it is found again, since two of one repository would not know of each other's moves. What nobody uses
 * is kept within the memory budget.
 */
export class NodeCopies {
  readonly #kept: BoundedCache<SharedRepository>
  // bound: those in the budget, and those that requests and jobs under way hold
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

  /** Keeps it, and weighs it anew. */
  keep(name: string): void {
    const held = this.#held.get(name)?.deref()
    if (held) this.#kept.set(name, held)
  }

  forget(name: string): void {
    this.#kept.delete(name)
    this.#held.delete(name)
  }
}
