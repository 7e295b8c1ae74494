import type { JsonSchema } from '../../src/api/schema.js'

const branches = (schema: JsonSchema): JsonSchema[] => (schema.anyOf ?? schema.oneOf ?? [schema]) as JsonSchema[]
const accepts = (schema: JsonSchema, type: string): boolean =>
  branches(schema).some((one) =>
    one.type === undefined ? !('const' in one || 'enum' in one) : [one.type].flat().includes(type),
  )

/** A value of a type that the schema does not allow, or undefined if it allows all types. */
export function wrongType(schema: JsonSchema): unknown {
  if (!accepts(schema, 'boolean')) return true
  if (!accepts(schema, 'number') && !accepts(schema, 'integer')) return 1.5
  return accepts(schema, 'object') ? undefined : { wrong: 'type' }
}

/**
 * The limits of a string in a schema, if every string must obey them: values just beyond them, and the reasons why they
 * are invalid.
 */
export function invalidStrings(schema: JsonSchema): { why: string; value: string }[] {
  const strings = branches(schema).filter((one) => one.type === 'string' || 'const' in one)
  const [only] = strings
  if (
    strings.length !== 1 ||
    only?.type !== 'string' ||
    !branches(schema).every((one) => one === only || one.type === 'null')
  )
    return []
  const found: { why: string; value: string }[] = []
  if (typeof only.maxLength === 'number' && only.maxLength < 100_000)
    found.push({ why: 'too long', value: 'x'.repeat(only.maxLength + 1) })
  if (typeof only.minLength === 'number' && only.minLength > 0)
    found.push({ why: 'too short', value: 'x'.repeat(only.minLength - 1) })
  if (only.enum) found.push({ why: 'not one of the values', value: 'no-such-value' })
  const wrong = ['\u0000 /\\', ''].find(
    (text) => typeof only.pattern === 'string' && !new RegExp(only.pattern, 'u').test(text),
  )
  if (wrong !== undefined) found.push({ why: 'not of the pattern', value: wrong })
  return found
}

/** An invalid body and its fault. */
export interface InvalidBody {
  why: string
  body: unknown
  /** The JSON pointer that the error must contain. If absent, any is allowed. */
  at?: string
}

/**
 * Bodies that a schema must reject: not an object, each member of a wrong type or beyond its limits, an unknown member.
 * Each differs from a valid body in only that member.
 */
export function invalidBodies(schema: JsonSchema, valid?: unknown): InvalidBody[] {
  const found: InvalidBody[] = []
  if (!accepts(schema, 'array')) found.push({ why: 'a list', body: [] })
  const properties = schema.properties as Record<string, JsonSchema> | undefined
  if (!properties) return found
  const rest = typeof valid === 'object' && valid !== null ? valid : {}
  if (schema.additionalProperties === undefined || schema.additionalProperties === false)
    found.push({ why: 'an unknown member', body: { ...rest, 'no-such-member': 1 } })
  for (const [name, member] of Object.entries(properties)) {
    const at = `/${name}`
    const wrong = wrongType(member)
    if (wrong !== undefined) found.push({ why: `${name} of a wrong type`, body: { ...rest, [name]: wrong }, at })
    for (const { why, value } of invalidStrings(member))
      found.push({ why: `${name} ${why}`, body: { ...rest, [name]: value }, at })
  }
  return found
}
