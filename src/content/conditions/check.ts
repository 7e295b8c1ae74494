import type { AnyNode, BinaryExpression, CallExpression, MemberExpression, UnaryExpression } from 'acorn'
import type { ConditionError } from './error.js'
import { conditionError, parseExpression } from './parse.js'

/** Longest condition, in characters: service.md, "Limits". */
export const MAX_CONDITION_LENGTH = 1024

const MAX_DEPTH = 100
const COMPARISONS = new Set(['==', '!=', '===', '!==', '<', '<=', '>', '>='])
/** Names that mean something to ECMAScript objects, and never a claim. */
const NO_CLAIMS = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Checks an expression that decides whether a visitor is shown something, such as
 * `visitor.claims.unsigned.isBeta == true && "x" in visitor.claims.groups`. It is a part of ECMAScript: claims below
 * `visitor.claims` (by `.name`, `?.name` or `["name"]`), texts, numbers, true, false, null, undefined, lists of these,
 * `! && ||`, comparisons, `value in list`, `list.includes(value)`, parentheses. Throws `ConditionError`, and nothing else.
 */
export function checkCondition(text: string): void {
  const length = [...text].length
  if (text.trim() === '')
    throw conditionError(text, 0, 'is empty: write an expression such as visitor.claims.isBeta == true, or remove the condition with null')
  if (length > MAX_CONDITION_LENGTH) throw conditionError(text, 0, `has ${length} characters: at most ${MAX_CONDITION_LENGTH} are allowed`)
  new Checker(text).value(parseExpression(text), 0)
}

class Checker {
  constructor(private readonly text: string) {}

  private error(node: { start: number }, reason: string): ConditionError {
    return conditionError(this.text, node.start, reason)
  }

  /** Anything that has a value. */
  value(node: AnyNode, depth: number): void {
    if (depth > MAX_DEPTH) throw this.error(node, `is nested more than ${MAX_DEPTH} levels deep: make it simpler`)
    const below = depth + 1
    switch (node.type) {
      case 'ParenthesizedExpression':
      case 'ChainExpression':
        this.value(node.expression, below)
        break
      case 'LogicalExpression':
        if (node.operator === '??') throw this.error(node, '?? cannot be used: compare with == undefined')
        this.value(node.left, below)
        this.value(node.right, below)
        break
      case 'UnaryExpression':
        if (node.operator === '!') this.value(node.argument, below)
        else if (node.operator !== '-' || node.argument.type !== 'Literal' || typeof node.argument.value !== 'number') throw this.operator(node)
        break
      case 'BinaryExpression':
        this.comparison(node, below)
        break
      case 'CallExpression':
        this.call(node, below)
        break
      case 'MemberExpression':
        if (this.claim(node) === 0) throw this.error(node, 'name the claim behind visitor.claims, as in visitor.claims.isBeta')
        break
      default:
        this.constant(node)
    }
  }

  private operator(node: UnaryExpression | BinaryExpression): ConditionError {
    return this.error(node, `the operator ${node.operator} cannot be used: only ! && || comparisons and in can`)
  }

  private comparison(node: BinaryExpression, depth: number): void {
    this.value(node.left, depth)
    if (COMPARISONS.has(node.operator)) this.value(node.right, depth)
    else if (node.operator === 'in') this.list(node.right, 'in')
    else throw this.operator(node)
  }

  private call(node: CallExpression, depth: number): void {
    const { callee } = node
    const named = callee.type === 'MemberExpression' && !callee.computed && callee.property.type === 'Identifier' ? callee.property.name : null
    if (callee.type !== 'MemberExpression' || named !== 'includes') throw this.error(node, 'functions cannot be called, except list.includes(value)')
    const [argument, ...more] = node.arguments
    if (!argument || more.length > 0) throw this.error(node, 'includes takes exactly one value')
    this.list(callee.object, 'includes')
    this.value(argument, depth)
  }

  /** What `in` and `includes` look into: claims, or a list. */
  private list(node: AnyNode, operator: string): void {
    let inner = node
    while (inner.type === 'ParenthesizedExpression' || inner.type === 'ChainExpression') inner = inner.expression
    if (inner.type === 'ArrayExpression') this.constant(inner)
    else if (inner.type === 'MemberExpression') this.claim(inner)
    else throw this.error(node, `${operator} looks into a claim or a list, as in visitor.claims.groups or ["a", "b"]`)
  }

  private constant(node: AnyNode): void {
    if (node.type === 'ArrayExpression') {
      for (const element of node.elements) {
        if (!element || element.type === 'ArrayExpression') throw this.error(element ?? node, 'a list holds texts, numbers, true, false and null')
        this.constant(element)
      }
    } else if (node.type === 'Literal') {
      if (node.regex) throw this.error(node, 'regular expressions cannot be used')
      if (typeof node.value === 'bigint' || node.value === Number.POSITIVE_INFINITY) throw this.error(node, 'this number is too large')
    } else if (node.type === 'TemplateLiteral') {
      if (node.expressions.length > 0) throw this.error(node, 'a text has nothing to fill in: write it in quotes')
    } else if (node.type === 'Identifier') {
      if (node.name !== 'undefined') throw this.error(node, `${node.name} is not known: claims are below visitor.claims, texts stand in quotes`)
    } else if (node.type === 'AssignmentExpression') throw this.error(node, 'a condition changes nothing: compare with == instead of =')
    else throw this.error(node, 'this cannot be used in a condition: only claims, constants, ! && || comparisons and in can')
  }

  /** Checks a path that must begin with `visitor.claims`; answers how many names stand behind that. */
  private claim(node: MemberExpression): number {
    const names: string[] = []
    let at: AnyNode = node
    for (; at.type === 'MemberExpression'; at = at.object) names.unshift(this.name(at))
    const known = at.type === 'Identifier' && at.name === 'visitor' && names[0] === 'claims'
    if (!known) throw this.error(node, 'only what is below visitor.claims can be asked for')
    return names.length - 1
  }

  private name({ computed, property }: MemberExpression): string {
    const name =
      property.type === 'Identifier' && !computed ? property.name : property.type === 'Literal' && typeof property.value === 'string' ? property.value : null
    if (name === null) throw this.error(property, 'a claim is named by a text in quotes, as in visitor.claims["my claim"]')
    if (NO_CLAIMS.has(name)) throw this.error(property, `${name} cannot be the name of a claim`)
    return name
  }
}
