import { type Expression, getLineInfo, parseExpressionAt } from 'acorn'
import { ConditionError } from './error.js'

/** The error for the character at `offset`. */
export function conditionError(text: string, offset: number, reason: string): ConditionError {
  const { line, column } = getLineInfo(text, Math.min(offset, text.length))
  return new ConditionError(line, column + 1, reason)
}

/** Reads `text` as one ECMAScript expression. Throws `ConditionError`, and nothing else. */
export function parseExpression(text: string): Expression {
  try {
    const expression = parseExpressionAt(text, 0, {
      ecmaVersion: 2022,
      preserveParens: true,
      onComment: (_block, _text, start) => {
        throw conditionError(text, start, 'a condition has no comments: leave it out')
      },
    })
    const rest = text.slice(expression.end).search(/\S/)
    if (rest >= 0) throw conditionError(text, expression.end + rest, 'something stands behind the end of the expression: join two with && or ||')
    return expression
  } catch (error) {
    if (error instanceof ConditionError) throw error
    if (error instanceof SyntaxError && 'pos' in error) {
      const said = error.message.replace(/ \(\d+:\d+\)$/, '')
      throw conditionError(text, Number(error.pos), `${said}: write an expression such as visitor.claims.isBeta == true`)
    }
    // acorn recurses: a thousand parentheses can exhaust the stack
    throw new ConditionError(1, 1, 'is nested too deeply: take parentheses away')
  }
}
