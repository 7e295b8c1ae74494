/** Evaluates a condition. It never runs code: only expressions that `check.ts` allows have a value. */
import type { AnyNode, BinaryExpression, CallExpression, MemberExpression } from 'acorn'
import { parseExpression } from './parse.js'
import { ownMember } from '../../kernel/guards.js'

/** The JSON values of the root names. */
type ConditionValues = Readonly<Record<string, unknown>>

/**
 * Returns the value of a condition that `checkCondition` accepts. A missing name is undefined. Only values of the same
 * type can be ordered. Throws `ConditionError` if the text is not an expression, and an error if it contains an
 * expression that the check rejects.
 */
export const evaluateCondition = (text: string, values: ConditionValues): boolean =>
  Boolean(evaluate(parseExpression(text), values))

function evaluate(node: AnyNode, values: ConditionValues): unknown {
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'ChainExpression':
      return evaluate(node.expression, values)
    case 'LogicalExpression': {
      const left = evaluate(node.left, values)
      return (node.operator === '&&') === Boolean(left) ? evaluate(node.right, values) : left
    }
    case 'UnaryExpression':
      return node.operator === '!' ? !evaluate(node.argument, values) : -Number(evaluate(node.argument, values))
    case 'BinaryExpression':
      return compare(node, values)
    case 'CallExpression':
      return includes(node, values)
    case 'MemberExpression':
      return memberOf(node, values)
    case 'ArrayExpression':
      return node.elements.map((element) => (element === null ? null : evaluate(element, values)))
    case 'Literal':
      return node.value
    case 'TemplateLiteral':
      return node.quasis[0]?.value.cooked
    case 'Identifier':
      return Object.hasOwn(values, node.name) ? values[node.name] : undefined
    default:
      throw new Error(`a condition cannot have a ${node.type}`)
  }
}

function compare({ operator, left: a, right: b }: BinaryExpression, values: ConditionValues): boolean {
  const left = evaluate(a, values)
  const right = evaluate(b, values)
  if (operator === 'in') return has(right, left)
  if (operator === '==' || operator === '===') return isSame(left, right, operator === '==')
  if (operator === '!=' || operator === '!==') return !isSame(left, right, operator === '!=')
  if (typeof left === 'number' && typeof right === 'number') return isOrdered(operator, left, right)
  return typeof left === 'string' && typeof right === 'string' && isOrdered(operator, left, right)
}

function isOrdered<T extends string | number>(operator: string, left: T, right: T): boolean {
  if (operator === '<') return left < right
  if (operator === '<=') return left <= right
  return operator === '>' ? left > right : left >= right
}

/** `==` treats null and undefined as equal. Other values are never converted. */
const isSame = (left: unknown, right: unknown, loosely: boolean): boolean =>
  left === right || (loosely && (left ?? null) === null && (right ?? null) === null)

/** Whether a list contains a value, or an object has a member of that name. */
function has(list: unknown, value: unknown): boolean {
  if (Array.isArray(list)) return list.includes(value)
  return typeof list === 'object' && list !== null && Object.hasOwn(list, String(value))
}

function includes({ callee, arguments: given }: CallExpression, values: ConditionValues): boolean {
  if (callee.type !== 'MemberExpression' || !given[0]) throw new Error('a condition calls only includes')
  const list = evaluate(callee.object, values)
  const value = evaluate(given[0], values)
  return typeof list === 'string'
    ? typeof value === 'string' && list.includes(value)
    : Array.isArray(list) && list.includes(value)
}

function memberOf(node: MemberExpression, values: ConditionValues): unknown {
  const object = evaluate(node.object, values)
  const name =
    node.property.type === 'Identifier' && !node.computed ? node.property.name : String(evaluate(node.property, values))
  return ownMember(object, name)
}
