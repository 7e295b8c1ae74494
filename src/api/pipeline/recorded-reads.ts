/** Responses that were made from the same things share what is compared when they are sent again. */
import type { Evidence } from '../../kernel/recording.js'

/**
 * All pages of a space are made from the same token, roles and head. Compared once for all of them after a change, these are
 * also more likely to be in the processor's caches than a copy for each page.
 */
export class SharedEvidence {
  // bound: what kept responses refer to
  readonly #known = new Map<string, WeakRef<Evidence>>()
  readonly #collected = new FinalizationRegistry<string>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key)
  })

  /** The evidence that is already known for the same values of the same things, else this one; and whether it was known. */
  shared(evidence: Evidence): { evidence: Evidence; isShared: boolean } {
    const known = this.#known.get(evidence.key)?.deref()
    if (known) return { evidence: known, isShared: true }
    this.#known.set(evidence.key, new WeakRef(evidence))
    this.#collected.register(evidence, evidence.key)
    return { evidence, isShared: false }
  }
}
