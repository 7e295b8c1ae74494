import { checkCondition } from '../../content/conditions/check.js'
import { ConditionError } from '../../content/conditions/error.js'
import { badRequest } from '../../kernel/errors.js'

/** Refuses a condition that is none. `path` points to it in the body. Throws 400 with line, column and what to do. */
export function requireCondition(condition: string, path: string): void {
  try {
    checkCondition(condition)
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error
    throw badRequest('The condition cannot be read.', [{ path, message: error.message }])
  }
}
