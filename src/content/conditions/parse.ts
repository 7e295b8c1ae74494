// Parses conditions. Errors contain the character position.
import { type Expression, getLineInfo, parseExpressionAt } from 'acorn'
import { ConditionError } from './error.js'

/** Returns the error for the character at `offset`. */
export function conditionError(text: string, offset: number, reason: string): ConditionError {
  const { line, column } = getLineInfo(text, Math.min(offset, text.length))
  return new ConditionError(line, column + 1, reason)
}

/** Parses `text` as one ECMAScript expression. Throws only `ConditionError`. */
export function parseExpression(text: string): Expression {
  try {
    const expression = parseExpressionAt(text, 0, {
      ecmaVersion: 2022,
      preserveParens: true,
      onComment: (_block, _text, start) => {
        throw conditionError(text, start, 'a condition cannot have comments: remove it')
      },
    })
    const rest = text.slice(expression.end).search(/\S/)
    if (rest >= 0)
      throw conditionError(
        text,
        expression.end + rest,
        'the expression has ended before this: join two expressions with && or ||',
      )
    return expression
  } catch (error) {
    if (error instanceof ConditionError) throw error
    if (error instanceof SyntaxError && 'pos' in error) {
      const reason = error.message.replace(/ \(\d+:\d+\)$/, '')
      throw conditionError(
        text,
        Number(error.pos),
        `${reason}: write an expression such as visitor.claims.isBeta == true`,
      )
    }
    // acorn is recursive, so a thousand parentheses can exhaust the stack.
    throw new ConditionError(1, 1, 'is nested too deeply: use fewer parentheses')
  }
}
