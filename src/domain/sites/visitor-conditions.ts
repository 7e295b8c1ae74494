/** Evaluates conditions for one visitor. */
import { conditionHolds } from '../../content/conditions/holds.js'
import { Slices } from '../../kernel/slices.js'
import type { VisitorClaims } from './visitor-claims.js'

/** Evaluates each condition once. A condition that is invalid or fails is false. */
export class VisitorConditions {
  // bound: the different conditions in one response, of at most 1,024 characters
  readonly #results = new Map<string, boolean>()

  constructor(private readonly claims: VisitorClaims) {}

  readonly holds = (condition: string): boolean => {
    const known = this.#results.get(condition)
    if (known !== undefined) return known
    const result = conditionHolds(condition, this.claims)
    this.#results.set(condition, result)
    return result
  }

  /** Evaluates many conditions in slices, so that later look-ups are cheap. */
  async prepare(conditions: Iterable<string | undefined>): Promise<void> {
    const slices = new Slices()
    for (const condition of conditions) {
      if (condition !== undefined) this.holds(condition)
      if (slices.due) await slices.rest()
    }
  }
}
