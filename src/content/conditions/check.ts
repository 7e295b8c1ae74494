// Checks the conditions of pages and blocks: the expressions and names that they may use.
import type { AnyNode, BinaryExpression, CallExpression, MemberExpression, UnaryExpression } from 'acorn'
import type { ConditionError } from './error.js'
import { conditionError, parseExpression } from './parse.js'

/** Maximum length of a condition, in characters. */
export const MAX_CONDITION_LENGTH = 1024

const MAX_DEPTH = 100
const COMPARISONS = new Set(['==', '!=', '===', '!==', '<', '<=', '>', '>='])
/** Names that have a meaning on ECMAScript objects. No claim can have them. */
const NO_CLAIMS = new Set(['__proto__', 'constructor', 'prototype'])

/** The names that a condition may use, by root. If it is null, any name may follow `visitor.claims`. */
type ConditionScope = Readonly<Record<string, readonly string[]>> | null

/**
 * Checks a condition that decides whether a visitor sees something, such as `visitor.claims.unsigned.isBeta == true &&
 * "x" in visitor.claims.groups`. Conditions are a subset of ECMAScript: claims below `visitor.claims` (through `.name`,
 * `?.name` or `["name"]`), strings, numbers, true, false, null, undefined, lists of these, `! && ||`, comparisons,
 * `value in list`, `list.includes(value)` and parentheses. Throws only `ConditionError`.
 * @param scope the names to use in place of claims
 */
export function checkCondition(text: string, scope: ConditionScope = null): void {
  const length = [...text].length
  if (text.trim() === '')
    throw conditionError(
      text,
      0,
      'is empty: write an expression such as visitor.claims.isBeta == true, or remove the condition with null',
    )
  if (length > MAX_CONDITION_LENGTH)
    throw conditionError(text, 0, `has ${length} characters: at most ${MAX_CONDITION_LENGTH} are allowed`)
  new Checker(text, scope).value(parseExpression(text), 0)
}

class Checker {
  constructor(
    private readonly text: string,
    private readonly scope: ConditionScope,
  ) {}

  private error(node: { start: number }, reason: string): ConditionError {
    return conditionError(this.text, node.start, reason)
  }

  /** Checks any expression that has a value. */
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
        else if (node.operator !== '-' || node.argument.type !== 'Literal' || typeof node.argument.value !== 'number')
          throw this.operator(node)
        break
      case 'BinaryExpression':
        this.comparison(node, below)
        break
      case 'CallExpression':
        this.call(node, below)
        break
      case 'MemberExpression':
        if (this.claim(node) === 0)
          throw this.error(node, 'name the claim after visitor.claims, as in visitor.claims.isBeta')
        break
      default:
        this.constant(node)
    }
  }

  private operator(node: UnaryExpression | BinaryExpression): ConditionError {
    return this.error(node, `the operator ${node.operator} cannot be used: use only ! && || comparisons and in`)
  }

  private comparison(node: BinaryExpression, depth: number): void {
    this.value(node.left, depth)
    if (COMPARISONS.has(node.operator)) this.value(node.right, depth)
    else if (node.operator === 'in') this.list(node.right, 'in')
    else throw this.operator(node)
  }

  private call(node: CallExpression, depth: number): void {
    const { callee } = node
    const named =
      callee.type === 'MemberExpression' && !callee.computed && callee.property.type === 'Identifier'
        ? callee.property.name
        : null
    if (callee.type !== 'MemberExpression' || named !== 'includes')
      throw this.error(node, 'functions cannot be called, except list.includes(value)')
    const [argument, ...more] = node.arguments
    if (!argument || more.length > 0) throw this.error(node, 'includes takes exactly one value')
    this.list(callee.object, 'includes')
    this.value(argument, depth)
  }

  /** Checks the right side of `in`, or the left side of `includes`: a claim, or a list. */
  private list(node: AnyNode, operator: string): void {
    let inner = node
    while (inner.type === 'ParenthesizedExpression' || inner.type === 'ChainExpression') inner = inner.expression
    if (inner.type === 'ArrayExpression') this.constant(inner)
    else if (inner.type === 'MemberExpression') this.claim(inner)
    else throw this.error(node, `${operator} needs a claim or a list, such as visitor.claims.groups or ["a", "b"]`)
  }

  private constant(node: AnyNode): void {
    if (node.type === 'ArrayExpression') {
      for (const element of node.elements) {
        if (!element || element.type === 'ArrayExpression')
          throw this.error(element ?? node, 'a list can contain only strings, numbers, true, false and null')
        this.constant(element)
      }
    } else if (node.type === 'Literal') {
      if (node.regex) throw this.error(node, 'regular expressions cannot be used')
      if (typeof node.value === 'bigint' || node.value === Number.POSITIVE_INFINITY)
        throw this.error(node, 'this number is too large')
    } else if (node.type === 'TemplateLiteral') {
      if (node.expressions.length > 0)
        throw this.error(node, 'a template cannot contain expressions: write a string in quotes')
    } else if (node.type === 'Identifier') {
      if (node.name !== 'undefined')
        throw this.error(node, `${node.name} is not known: write claims as visitor.claims.name, and strings in quotes`)
    } else if (node.type === 'AssignmentExpression')
      throw this.error(node, 'a condition cannot assign a value: compare with == instead of =')
    else
      throw this.error(
        node,
        'this cannot be used in a condition: use only claims, constants, ! && || comparisons and in',
      )
  }

  /** Checks a path that must start with `visitor.claims`, and returns the number of names that follow. */
  private claim(node: MemberExpression): number {
    const names: string[] = []
    let at: AnyNode = node
    for (; at.type === 'MemberExpression'; at = at.object) names.unshift(this.name(at))
    if (this.scope !== null) return this.member(node, at, names, this.scope)
    const known = at.type === 'Identifier' && at.name === 'visitor' && names[0] === 'claims'
    if (!known) throw this.error(node, 'only names below visitor.claims can be used, as in visitor.claims.isBeta')
    return names.length - 1
  }

  /** Checks a path that must consist of a root of the scope and one of its names. */
  private member(
    node: MemberExpression,
    root: AnyNode,
    names: readonly string[],
    scope: NonNullable<ConditionScope>,
  ): number {
    const known = root.type === 'Identifier' && Object.hasOwn(scope, root.name) ? scope[root.name] : undefined
    const [name = '', ...below] = names
    if (!known || below.length > 0 || !known.includes(name)) {
      const all = Object.entries(scope).flatMap(([of, members]) => members.map((member) => `${of}.${member}`))
      throw this.error(node, `is not known here. Use one of ${all.join(', ')}`)
    }
    return 1
  }

  private name({ computed, property }: MemberExpression): string {
    const name =
      property.type === 'Identifier' && !computed
        ? property.name
        : property.type === 'Literal' && typeof property.value === 'string'
          ? property.value
          : null
    if (name === null)
      throw this.error(property, 'write the name of a claim as a string in quotes, as in visitor.claims["my claim"]')
    if (NO_CLAIMS.has(name)) throw this.error(property, `${name} cannot be the name of a claim`)
    return name
  }
}
