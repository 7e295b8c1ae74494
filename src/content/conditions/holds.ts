/** Decides whether a condition holds for a visitor. */
import { checkCondition } from './check.js'
import { evaluateCondition } from './evaluate.js'

/** Whether a condition holds for the claims. One that is invalid or cannot be evaluated does not, so no one sees its content. */
export function conditionHolds(condition: string, claims: Readonly<Record<string, unknown>>): boolean {
  try {
    checkCondition(condition)
    return evaluateCondition(condition, { visitor: { claims } }) === true
  } catch {
    return false
  }
}
