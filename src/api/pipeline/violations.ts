/** Turns ajv's validation errors into the messages of a 400. */
import type { ErrorObject } from 'ajv'
import type { ErrorDetail } from '../../kernel/errors.js'

const MAX_DETAILS = 100
/** Further errors are ignored, because unions are resolved by comparing errors with each other. */
const MAX_ERRORS = 1_000

const article = (type: string): string =>
  /^[aeiou]/.test(type) ? `an ${type}` : type === 'null' ? 'null' : `a ${type}`
const list = (values: readonly unknown[]): string =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ')
const plural = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`
const pointer = (member: string): string => member.replaceAll('~', '~0').replaceAll('/', '~1')

const formatNames: Readonly<Record<string, string>> = {
  'date-time': 'a date and time such as 2026-01-31T12:00:00Z',
  uri: 'a URL such as https://example.org/',
}

function sentence(error: ErrorObject): string {
  // biome-ignore lint/suspicious/noExplicitAny: ajv types the parameters per keyword, which the switch goes by
  const p: Record<string, any> = error.params
  switch (error.keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known member'
    case 'type':
      return `must be ${[p.type]
        .flat()
        .map((type) => article(String(type)))
        .join(' or ')}`
    case 'enum':
      return `must be one of: ${list(p.allowedValues)}`
    case 'const':
      return `must be ${JSON.stringify(p.allowedValue)}`
    case 'minLength':
      return `must have at least ${plural(p.limit, 'character')}`
    case 'maxLength':
      return `must have at most ${plural(p.limit, 'character')}`
    case 'minItems':
      return `must have at least ${plural(p.limit, 'item')}`
    case 'maxItems':
      return `must have at most ${plural(p.limit, 'item')}`
    case 'minProperties':
      return `must have at least ${plural(p.limit, 'member')}`
    case 'minimum':
      return `must be at least ${p.limit}`
    case 'maximum':
      return `must be at most ${p.limit}`
    case 'format':
      return `must be ${formatNames[p.format] ?? article(String(p.format))}`
    case 'pattern':
      return error.parentSchema?.['x-pattern-message'] ?? 'has the wrong form'
    case 'uniqueItems':
      return `must not contain the same item twice: items ${p.j} and ${p.i} are equal`
    case 'anyOf':
    case 'oneOf':
      return 'does not match any of the allowed forms'
    default:
      return error.message ?? 'is invalid'
  }
}

function place(error: ErrorObject): string {
  const p = error.params
  const member = p.missingProperty ?? p.additionalProperty ?? p.unevaluatedProperty
  return member === undefined ? error.instancePath : `${error.instancePath}/${pointer(member)}`
}

/** Returns the index of the union branch that an error comes from. */
const branchOf = (union: ErrorObject, { schemaPath }: ErrorObject): string =>
  schemaPath.slice(union.schemaPath.length + 1).split('/')[0] ?? ''

/**
 * Returns the distance between a branch and the input. A different constant is the strongest sign that another branch
 * was meant; a missing or unknown member is next.
 * A malformed value shows that the caller meant this branch.
 */
function distance(errors: readonly ErrorObject[], union: ErrorObject): number {
  const weights: Readonly<Record<string, number>> = {
    const: 100,
    enum: 100,
    required: 10,
    additionalProperties: 10,
    unevaluatedProperties: 10,
  }
  return errors.reduce(
    (sum, { keyword, instancePath }) =>
      sum + (instancePath.split('/').length <= union.instancePath.split('/').length + 1 ? (weights[keyword] ?? 1) : 1),
    0,
  )
}

/** Returns the errors of the branch that is nearest to the input. Branches with the same distance all count. */
function ofMeantBranch(union: ErrorObject, inside: readonly ErrorObject[]): ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>()
  for (const error of inside)
    branches.set(branchOf(union, error), [...(branches.get(branchOf(union, error)) ?? []), error])
  const rated = [...branches.values()].map((errors) => ({ errors, far: distance(errors, union) }))
  const nearest = Math.min(...rated.map(({ far }) => far))
  return rated.flatMap(({ errors, far }) => (far === nearest ? errors : []))
}

/**
 * Reduces the errors of failed unions, which report every branch. If all branches failed by type, that is one violation
 * ("must be a string or null").
 * Otherwise branches of another type are ignored, and only the branch that was meant is reported.
 */
function settleUnions(errors: readonly ErrorObject[]): ErrorObject[] {
  let kept = [...errors]
  for (const union of errors.filter((error) => error.keyword === 'anyOf')) {
    const inside = kept.filter(
      (error) =>
        error !== union &&
        error.schemaPath.startsWith(`${union.schemaPath}/`) &&
        error.instancePath.startsWith(union.instancePath),
    )
    const byType = inside.filter((error) => error.keyword === 'type' && error.instancePath === union.instancePath)
    if (inside.length === 0) continue
    const types = byType.flatMap((error): string | string[] => error.params.type)
    const merged =
      byType.length === inside.length ? [{ ...union, keyword: 'type', params: { type: [...new Set(types)] } }] : []
    const typed = new Set(byType.map((error) => branchOf(union, error)))
    const others = inside.filter((error) => !typed.has(branchOf(union, error)))
    const reported = new Set([...merged, ...(others.length === 0 ? [] : ofMeantBranch(union, others))])
    kept = kept.filter((error) => error !== union && !inside.includes(error)).concat([...reported])
  }
  return kept
}

/** Converts ajv's errors into messages, one per violation; `prefix` is `query` or empty. */
export function violations(errors: readonly ErrorObject[], prefix: string): ErrorDetail[] {
  const seen = new Set<string>()
  const details: ErrorDetail[] = []
  for (const error of settleUnions(errors.slice(0, MAX_ERRORS))) {
    // A union with a discriminator reports the same as "required" and "enum", which name the values.
    if (error.keyword === 'if' || error.keyword === 'discriminator') continue
    const detail = { path: `${prefix}${place(error)}`, message: sentence(error) }
    const key = `${detail.path}\n${detail.message}`
    if (seen.has(key)) continue
    seen.add(key)
    details.push(detail)
  }
  // Invalid input never passes as valid, even if ajv reports only errors that are skipped.
  if (details.length === 0)
    details.push({ path: prefix + (errors[0]?.instancePath ?? ''), message: 'does not match any of the allowed forms' })
  const more = details.length - MAX_DETAILS
  return more > 0
    ? [...details.slice(0, MAX_DETAILS), { path: prefix, message: `and ${plural(more, 'further violation')}` }]
    : details
}
