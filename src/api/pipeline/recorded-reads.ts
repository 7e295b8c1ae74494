/** Shares recorded reads between cached responses that were built from the same data. */
import type { RecordedReads } from '../../kernel/recording.js'

/**
 * Shares equal recorded reads. All pages of a space depend on the same token, roles and head.
 * One comparison after a change serves all of them, and one copy is more likely to be in the processor's caches.
 */
export class SharedReads {
  // bound: recorded reads that cached responses refer to
  readonly #known = new Map<string, WeakRef<RecordedReads>>()
  readonly #collected = new FinalizationRegistry<string>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key)
  })

  /**
   * Returns the recorded reads that are already stored for the same values, else these, and whether they were stored.
   */
  shared(reads: RecordedReads): { reads: RecordedReads; isShared: boolean } {
    const known = this.#known.get(reads.key)?.deref()
    if (known) return { reads: known, isShared: true }
    this.#known.set(reads.key, new WeakRef(reads))
    this.#collected.register(reads, reads.key)
    return { reads, isShared: false }
  }
}
