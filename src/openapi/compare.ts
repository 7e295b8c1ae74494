/** Compares two versions of a specification, and finds the changes that break clients. */
import type { BreakingChange, SpecChanges } from '../model/index.js'
import type { Operation, Outline, Parameter, SchemaOutline } from './outline.js'

/** Maximum number of entries in each list. The counts cover all entries. */
const MAX_ENTRIES = 100

/** Returns the address of an operation. Names of path parameters are not part of it. */
const addressOf = ({ method, path }: Operation): string => `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`
const nameOf = ({ method, path }: Operation): string => `${method} ${path}`

interface Compared<T> {
  added: T[]
  removed: T[]
  changed: { before: T; after: T }[]
}

function compared<T extends { hash: string }>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (one: T) => string,
): Compared<T> {
  const old = new Map(before.map((one) => [keyOf(one), one]))
  const now = new Map(after.map((one) => [keyOf(one), one]))
  return {
    added: [...now].flatMap(([key, one]) => (old.has(key) ? [] : [one])),
    removed: [...old].flatMap(([key, one]) => (now.has(key) ? [] : [one])),
    changed: [...now].flatMap(([key, one]) => {
      const earlier = old.get(key)
      return earlier && earlier.hash !== one.hash ? [{ before: earlier, after: one }] : []
    }),
  }
}

const listed = <T>({ added, removed, changed }: Compared<T>, name: (one: T) => string) => ({
  added: added.slice(0, MAX_ENTRIES).map(name),
  removed: removed.slice(0, MAX_ENTRIES).map(name),
  changed: changed.slice(0, MAX_ENTRIES).map(({ after }) => name(after)),
  counts: { added: added.length, removed: removed.length, changed: changed.length },
})

/** Compares two outlines. Operations are matched by method and path, schemas by name. */
export function compareOutlines(before: Outline, after: Outline): SpecChanges {
  const operations = compared(before.operations, after.operations, addressOf)
  const schemas = compared(before.schemas, after.schemas, ({ name }) => name)
  // An operation can break through a parameter that it refers to, even if the operation itself is unchanged.
  const old = new Map(before.operations.map((one) => [addressOf(one), one]))
  const breaking: BreakingChange[] = [
    ...operations.removed.map((one) => ({ operation: nameOf(one), message: 'The operation was removed.' })),
    ...after.operations.flatMap((one) => {
      const earlier = old.get(addressOf(one))
      return earlier ? brokenOperation(earlier, one).map((message) => ({ operation: nameOf(one), message })) : []
    }),
    ...schemas.removed.map(({ name }) => ({ schema: name, message: 'The schema was removed.' })),
    ...schemas.changed.flatMap((pair) =>
      brokenSchema(pair.before, pair.after).map((message) => ({ schema: pair.after.name, message })),
    ),
  ]
  return {
    operations: listed(operations, nameOf),
    schemas: listed(schemas, ({ name }) => name),
    breaking: breaking.slice(0, MAX_ENTRIES),
    breakingCount: breaking.length,
  }
}

function brokenOperation(before: Operation, after: Operation): string[] {
  const found = [...brokenParameters(before, after)]
  if (after.body?.required && !before.body?.required) found.push('A body is now required.')
  if (before.body && !after.body) found.push('The body was removed.')
  for (const type of before.body?.types ?? [])
    if (after.body && !after.body.types.includes(type)) found.push(`The body can no longer be ${type}.`)
  for (const [status, types] of Object.entries(before.responses)) {
    if (!/^(2|default$)/i.test(status)) continue
    const now = Object.hasOwn(after.responses, status) ? after.responses[status] : undefined
    if (!now) found.push(`The response ${status} was removed.`)
    else
      for (const type of types)
        if (!now.includes(type)) found.push(`The response ${status} is no longer available as ${type}.`)
  }
  return found
}

/**
 * Yields the breaking parameter changes. Path parameters are matched by position, because their names may change;
 * others are matched by location and name.
 */
function* brokenParameters(before: Operation, after: Operation): Generator<string> {
  const placeOf = (operation: Operation, parameter: Parameter): string => {
    const place =
      parameter.in === 'path'
        ? [...operation.path.matchAll(/\{([^{}]*)\}/g)].findIndex((match) => match[1] === parameter.name)
        : -1
    return place < 0 ? `${parameter.in} ${parameter.name}` : `path ${place}`
  }
  const old = new Map(before.parameters.map((one) => [placeOf(before, one), one]))
  for (const parameter of after.parameters) {
    const earlier = old.get(placeOf(after, parameter))
    const name = `The ${parameter.in} parameter ${parameter.name}`
    if (!earlier) {
      if (parameter.required) yield `${name} is new and required.`
      continue
    }
    if (parameter.required && !earlier.required) yield `${name} is now required.`
    if (parameter.type !== earlier.type) yield `${name} changed from ${earlier.type} to ${parameter.type}.`
    yield* removedValues(earlier.enum, parameter.enum, name)
  }
}

function* removedValues(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  name: string,
): Generator<string> {
  if (!after) return
  if (!before) yield `${name} now accepts only certain values.`
  for (const value of before ?? []) if (!after.includes(value)) yield `${name} can no longer be ${value}.`
}

function brokenSchema(before: SchemaOutline, after: SchemaOutline): string[] {
  const found = [...removedValues(before.enum, after.enum, 'It')]
  if (before.type !== after.type) found.push(`Its type changed from ${before.type} to ${after.type}.`)
  for (const [name, type] of Object.entries(before.properties)) {
    const now = Object.hasOwn(after.properties, name) ? after.properties[name] : undefined
    if (now === undefined) found.push(`The property ${name} was removed.`)
    else if (now !== type) found.push(`The property ${name} changed from ${type} to ${now}.`)
  }
  for (const name of after.required)
    if (!before.required.includes(name)) found.push(`The property ${name} is now required.`)
  return found
}
