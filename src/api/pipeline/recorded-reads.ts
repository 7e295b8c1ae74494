/** Shares recorded reads between cached responses that were built from the same data. */
import type { Evidence } from '../../kernel/recording.js'

/**
 * Shares equal recorded reads. All pages of a space depend on the same token, roles and head.
 * One comparison after a change serves all of them, and one copy is more likely to be in the processor's caches.
 */
export class SharedEvidence {
  // bound: recorded reads that cached responses refer to
  readonly #known = new Map<string, WeakRef<Evidence>>()
  readonly #collected = new FinalizationRegistry<string>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key)
  })

  /**
   * Returns the recorded reads that are already stored for the same values, else these, and whether they were stored.
   */
  shared(evidence: Evidence): { evidence: Evidence; isShared: boolean } {
    const known = this.#known.get(evidence.key)?.deref()
    if (known) return { evidence: known, isShared: true }
    this.#known.set(evidence.key, new WeakRef(evidence))
    this.#collected.register(evidence, evidence.key)
    return { evidence, isShared: false }
  }
}
