import type { JsonSchema } from '../../src/api/schema.js'

const branches = (schema: JsonSchema): JsonSchema[] => (schema.anyOf ?? schema.oneOf ?? [schema]) as JsonSchema[]
const accepts = (schema: JsonSchema, type: string): boolean =>
  branches(schema).some((one) => (one.type === undefined ? !('const' in one || 'enum' in one) : [one.type].flat().includes(type)))

/** A value of a type that the schema does not take, or undefined where it takes all. */
export function wrongType(schema: JsonSchema): unknown {
  if (!accepts(schema, 'boolean')) return true
  if (!accepts(schema, 'number') && !accepts(schema, 'integer')) return 1.5
  return accepts(schema, 'object') ? undefined : { wrong: 'type' }
}

/** An invalid body and what is wrong with it. */
export interface InvalidBody {
  why: string
  body: unknown
}

/** Bodies that a schema must refuse: no object, each member of a wrong type or too long, an unknown member. */
export function invalidBodies(schema: JsonSchema): InvalidBody[] {
  const found: InvalidBody[] = []
  if (!accepts(schema, 'array')) found.push({ why: 'a list', body: [] })
  const properties = schema.properties as Record<string, JsonSchema> | undefined
  if (!properties) return found
  if (schema.additionalProperties === undefined || schema.additionalProperties === false)
    found.push({ why: 'an unknown member', body: { 'no-such-member': 1 } })
  for (const [name, member] of Object.entries(properties)) {
    const wrong = wrongType(member)
    if (wrong !== undefined) found.push({ why: `${name} of a wrong type`, body: { [name]: wrong } })
    const limit = member.maxLength
    if (member.type === 'string' && typeof limit === 'number' && limit < 100_000)
      found.push({ why: `${name} too long`, body: { [name]: 'x'.repeat(limit + 1) } })
  }
  return found
}
