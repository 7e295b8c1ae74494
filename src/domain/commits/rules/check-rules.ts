/** Validates the users and expressions of merge rules before they are stored. */
import { checkCondition } from '../../../content/conditions/check.js'
import { ConditionError } from '../../../content/conditions/error.js'
import { badRequest, type ErrorDetail } from '../../../kernel/errors.js'
import { membershipId, memberships, type SpaceMergeRules } from '../../../model/index.js'
import type { Reader } from '../../../store/index.js'
import { RULE_NAMES } from './unmet.js'

/** Throws 400 with the path of each user who is not a member of the organization, and of each invalid expression. */
export async function checkMergeRules(
  reader: Reader,
  organization: string,
  given: SpaceMergeRules | undefined,
): Promise<void> {
  if (given?.type !== 'rules') return
  const details: ErrorDetail[] = []
  for (const [index, rule] of given.rules.entries()) {
    const path = `/mergeRules/rules/${index}`
    if (rule.rule === 'custom') details.push(...wrongExpression(rule.expression, path))
    for (const [at, user] of ('users' in rule ? rule.users : []).entries())
      if (!(await reader.get(memberships, membershipId(organization, user))))
        details.push({ path: `${path}/users/${at}`, message: 'must be the ID of a member of the organization' })
  }
  if (details.length > 0) throw badRequest('The merge rules are not valid.', details)
}

function wrongExpression(expression: string, path: string): ErrorDetail[] {
  try {
    checkCondition(expression, RULE_NAMES)
    return []
  } catch (error) {
    if (error instanceof ConditionError) return [{ path: `${path}/expression`, message: error.message }]
    throw error
  }
}
