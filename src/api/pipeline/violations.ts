/** Turns ajv's validation errors into the sentences that clients read in a 400. */
import type { ErrorObject } from 'ajv'
import type { ErrorDetail } from '../../kernel/errors.js'

const MAX_DETAILS = 100
/** Of more errors than this the rest is not looked at: unions are settled by comparing errors with each other. */
const MAX_ERRORS = 1_000

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : type === 'null' ? 'null' : `a ${type}`)
const list = (values: readonly unknown[]): string => values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ')
const plural = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`
const pointer = (member: string): string => member.replaceAll('~', '~0').replaceAll('/', '~1')

function sentence(error: ErrorObject): string {
  // biome-ignore lint/suspicious/noExplicitAny: ajv types the parameters per keyword, which the switch goes by
  const p = error.params as any
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
      return `must be ${article(String(p.format))}`
    case 'anyOf':
    case 'oneOf':
      return 'has none of the allowed forms'
    default:
      return error.message ?? 'is invalid'
  }
}

function place(error: ErrorObject): string {
  const p = error.params as Record<string, string>
  const member = p.missingProperty ?? p.additionalProperty ?? p.unevaluatedProperty
  return member === undefined ? error.instancePath : `${error.instancePath}/${pointer(member)}`
}

/**
 * A failed union reports every branch. Where all of them failed by type at the union's own place, that is one violation
 * ("must be a string or null"); otherwise the branches of another type say nothing, and the union itself no more than
 * its branches.
 */
function settleUnions(errors: readonly ErrorObject[]): ErrorObject[] {
  let kept = [...errors]
  for (const union of errors.filter((error) => error.keyword === 'anyOf')) {
    const inside = kept.filter(
      (error) => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/`) && error.instancePath.startsWith(union.instancePath),
    )
    const byType = inside.filter((error) => error.keyword === 'type' && error.instancePath === union.instancePath)
    if (inside.length === 0) continue
    const types = byType.flatMap((error) => error.params.type as string | string[])
    const merged = byType.length === inside.length ? [{ ...union, keyword: 'type', params: { type: [...new Set(types)] } } as ErrorObject] : []
    kept = kept.filter((error) => error !== union && !byType.includes(error)).concat(merged)
  }
  return kept
}

/** ajv's errors as what a client is told: one per violation, `prefix` before the place (`query` or nothing). */
export function violations(errors: readonly ErrorObject[], prefix: string): ErrorDetail[] {
  const seen = new Set<string>()
  const details: ErrorDetail[] = []
  for (const error of settleUnions(errors.slice(0, MAX_ERRORS))) {
    // a union chosen by a tag says the same by "required" and "enum", with the values
    if (error.keyword === 'if' || error.keyword === 'discriminator') continue
    const detail = { path: `${prefix}${place(error)}`, message: sentence(error) }
    const key = `${detail.path}\n${detail.message}`
    if (seen.has(key)) continue
    seen.add(key)
    details.push(detail)
  }
  // what is refused is never taken for valid, whatever ajv says of it
  if (details.length === 0) details.push({ path: prefix + (errors[0]?.instancePath ?? ''), message: 'has none of the allowed forms' })
  const more = details.length - MAX_DETAILS
  return more > 0 ? [...details.slice(0, MAX_DETAILS), { path: prefix, message: `and ${plural(more, 'further violation')}` }] : details
}
