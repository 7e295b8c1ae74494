/** What conditions are worth for one visitor. */
import { checkCondition } from '../../content/conditions/check.js'
import { evaluateCondition } from '../../content/conditions/evaluate.js'
import { Slices } from '../../kernel/slices.js'
import type { VisitorClaims } from './visitor-claims.js'

/** Evaluates each condition once. A condition that is invalid or fails is not true. */
export class VisitorConditions {
  // bound: as many as the answer has different conditions, of at most 1,024 characters
  readonly #worth = new Map<string, boolean>()

  constructor(private readonly claims: VisitorClaims) {}

  readonly holds = (condition: string): boolean => {
    const known = this.#worth.get(condition)
    if (known !== undefined) return known
    const worth = this.#evaluate(condition)
    this.#worth.set(condition, worth)
    return worth
  }

  #evaluate(condition: string): boolean {
    try {
      checkCondition(condition)
      return evaluateCondition(condition, { visitor: { claims: this.claims } })
    } catch {
      // who sees what cannot be decided: nobody
      return false
    }
  }

  /** Evaluates many in slices, so that asking for them costs nothing afterwards. */
  async prepare(conditions: Iterable<string | undefined>): Promise<void> {
    const slices = new Slices()
    for (const condition of conditions) {
      if (condition !== undefined) this.holds(condition)
      if (slices.due) await slices.rest()
    }
  }
}
