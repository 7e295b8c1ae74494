/** Converts a schema to its displayed form: resolves references, and cuts off circular references and deep nesting. */
import type { ShownProperty, ShownSchema } from '../model/index.js'
import { MAX_LENGTHS, MAX_LEVELS, MAX_ITEMS, type ShowBudget } from './show-budget.js'
import { booleanIn, itemsOf, membersOf, resolveIn } from './values.js'
import { isRecord } from '../kernel/guards.js'

/** The context of a schema. */
export interface SchemaContext {
  document: unknown
  budget: ShowBudget
  /** The references that were followed to reach the schema. */
  followed: readonly string[]
  level: number
}

type Schema = Record<string, unknown>

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** The type name of the schema `false`, which no value matches. */
const NEVER = 'none'

/** Returns the type of a schema in words. */
function typeOf(schema: unknown, { document, budget, level }: SchemaContext): string {
  if (!isRecord(schema)) return schema === false ? NEVER : 'any'
  if (typeof schema.$ref === 'string') return budget.text(nameOf(schema.$ref), MAX_LENGTHS.type)
  const names = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((one) => typeof one === 'string')
  const type = names.length > 0 ? names.join(' or ') : impliedType(schema)
  if (type === 'array' && schema.items !== undefined && level < 2 * MAX_LEVELS)
    return `array of ${typeOf(schema.items, { document, budget, followed: [], level: level + 1 })}`
  return budget.text(typeof schema.format === 'string' ? `${type} (${schema.format})` : type, MAX_LENGTHS.type)
}

const impliedType = (schema: Schema): string =>
  schema.properties === undefined ? (schema.items === undefined ? 'any' : 'array') : 'object'

/** Returns the displayed form of a schema. Limited by the budget and by `MAX_LEVELS`. */
export function showSchema(given: unknown, around: SchemaContext): ShownSchema {
  const { document, budget, followed, level } = around
  const ref = isRecord(given) && typeof given.$ref === 'string' ? given.$ref : null
  const type = typeOf(given, around)
  if (!budget.entry()) return { type, cut: 'long' }
  if (ref !== null && followed.includes(ref)) return { type, cut: 'circle' }
  const schema = resolveIn(document, given)
  if (!schema) return { type: booleanIn(document, given) === null ? type : typeOf(booleanIn(document, given), around) }
  const inside = { ...around, followed: ref === null ? followed : [...followed, ref], level: level + 1 }
  const own =
    ref !== null && isRecord(given) && typeof given.description === 'string' ? given.description : schema.description
  const shown: ShownSchema = {
    type: ref !== null && !hasParts(schema) ? `${typeOf(schema, around)}` : type,
    ...budget.member('description', own, MAX_LENGTHS.description),
    ...factsOf(schema, budget),
    ...valuesOf(schema, budget),
  }
  if (!hasParts(schema)) return shown
  if (level >= MAX_LEVELS) return { ...shown, cut: 'deep' }
  return { ...shown, ...propertiesOf(schema, inside), ...innerOf(schema, inside), ...choiceOf(schema, inside) }
}

const CHOICES = [
  ['oneOf', 'one'],
  ['anyOf', 'any'],
  ['allOf', 'all'],
] as const

const hasParts = (schema: Schema): boolean =>
  isRecord(schema.properties) ||
  isRecord(schema.items) ||
  isRecord(schema.additionalProperties) ||
  CHOICES.some(([key]) => Array.isArray(schema[key]))

const FACTS: [key: string, words: (value: unknown) => string | null][] = [
  ['nullable', (value) => (value === true ? 'nullable' : null)],
  ['readOnly', (value) => (value === true ? 'read only' : null)],
  ['writeOnly', (value) => (value === true ? 'write only' : null)],
  ['deprecated', (value) => (value === true ? 'deprecated' : null)],
  ['uniqueItems', (value) => (value === true ? 'without duplicates' : null)],
  ...(['minimum', 'minLength', 'minItems', 'minProperties'] as const).map(
    (key): [string, (value: unknown) => string | null] => [key, (value) => `at least ${value}${unitOf(key)}`],
  ),
  ...(['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const).map(
    (key): [string, (value: unknown) => string | null] => [key, (value) => `at most ${value}${unitOf(key)}`],
  ),
  ...(['exclusiveMinimum', 'exclusiveMaximum'] as const).map((key): [string, (value: unknown) => string | null] => [
    key,
    (value) =>
      typeof value === 'number'
        ? `${key === 'exclusiveMinimum' ? 'more' : 'less'} than ${value}`
        : value === true
          ? EXCLUSIVE[key]
          : null,
  ]),
  ['multipleOf', (value) => `a multiple of ${value}`],
  ['pattern', (value) => `pattern: ${value}`],
]

/** Up to 3.0, these members modify `minimum` and `maximum`. */
const EXCLUSIVE = { exclusiveMinimum: 'minimum excluded', exclusiveMaximum: 'maximum excluded' }

const unitOf = (key: string): string =>
  key.endsWith('Length')
    ? ' characters'
    : key.endsWith('Items')
      ? ' items'
      : key.endsWith('Properties')
        ? ' properties'
        : ''

function factsOf(schema: Schema, budget: ShowBudget): { facts?: string[] } {
  const facts: string[] = []
  for (const [key, words] of FACTS) {
    const value = schema[key]
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue
    const text = words(value)
    if (text !== null) facts.push(budget.text(text, MAX_LENGTHS.fact))
  }
  const discriminator = isRecord(schema.discriminator) ? schema.discriminator.propertyName : schema.discriminator
  if (typeof discriminator === 'string') facts.push(budget.text(`discriminator: ${discriminator}`, MAX_LENGTHS.fact))
  for (const key of ['default', 'const', 'example'])
    if (schema[key] !== undefined)
      facts.push(`${key === 'const' ? 'always' : key}: ${budget.json(schema[key], MAX_LENGTHS.value)}`)
  return facts.length > 0 ? { facts } : {}
}

function valuesOf(schema: Schema, budget: ShowBudget): { enum?: string[]; left?: number } {
  const all = itemsOf(schema.enum)
  if (all.length === 0) return {}
  const left = all.length - MAX_ITEMS.values
  return {
    enum: all.slice(0, MAX_ITEMS.values).map((one) => budget.json(one, MAX_LENGTHS.value)),
    ...(left > 0 ? { left } : {}),
  }
}

/** Returns the direct properties of a schema. */
function propertiesOf(schema: Schema, inside: SchemaContext): { properties?: ShownProperty[]; left?: number } {
  const required = new Set(itemsOf(schema.required))
  const all = membersOf(schema.properties)
  const shown = all.slice(0, MAX_ITEMS.properties).map(([name, one]) => ({
    name: inside.budget.text(name, MAX_LENGTHS.name),
    required: required.has(name),
    schema: showSchema(one, inside),
  }))
  return shown.length === 0
    ? {}
    : { properties: shown, ...(all.length > shown.length ? { left: all.length - shown.length } : {}) }
}

/** Returns the items of an array or the values of a map, if they have parts. */
function innerOf(schema: Schema, inside: SchemaContext): { inner?: ShownSchema } {
  const inner = isRecord(schema.items)
    ? schema.items
    : isRecord(schema.additionalProperties)
      ? schema.additionalProperties
      : null
  const resolved = inner && resolveIn(inside.document, inner)
  if (!inner || !resolved || !(hasParts(resolved) || Array.isArray(resolved.enum))) return {}
  return { inner: showSchema(inner, inside) }
}

/** Returns the schemas that a schema is combined from. If there are several lists, all of them apply. */
function choiceOf(
  schema: Schema,
  inside: SchemaContext,
): { choice?: NonNullable<ShownSchema['choice']>; left?: number } {
  const lists = CHOICES.flatMap(([key, of]) => {
    const all = itemsOf(schema[key])
    if (all.length === 0) return []
    const schemas = all.slice(0, MAX_ITEMS.choices).map((one) => showSchema(one, inside))
    return [{ choice: { of, schemas }, ...(all.length > schemas.length ? { left: all.length - schemas.length } : {}) }]
  })
  const [first, ...others] = lists
  if (!first || others.length === 0) return first ?? {}
  return { choice: { of: 'all', schemas: lists.map((one) => ({ type: 'any', ...one })) } }
}
