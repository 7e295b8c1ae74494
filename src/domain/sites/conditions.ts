// Validates conditions from clients.
import { checkCondition } from '../../content/conditions/check.js'
import { ConditionError } from '../../content/conditions/error.js'
import { badRequest } from '../../kernel/errors.js'

/** Throws 400, with line, column and a remedy, if a condition is invalid. `path` is its JSON pointer in the body. */
export function requireCondition(condition: string, path: string): void {
  try {
    checkCondition(condition)
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error
    throw badRequest('The condition is invalid.', [{ path, message: error.message }])
  }
}
