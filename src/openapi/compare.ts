/** What changed between two versions of a specification, and what of it breaks clients. */
import type { BreakingChange, SpecChanges } from '../model/index.js'
import type { Operation, Outline, Parameter, SchemaOutline } from './outline.js'

/** Entries of each list; the counts tell of all. */
const MOST = 100

/** Names of parameters in paths are no part of an operation's address. */
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
  added: added.slice(0, MOST).map(name),
  removed: removed.slice(0, MOST).map(name),
  changed: changed.slice(0, MOST).map(({ after }) => name(after)),
  counts: { added: added.length, removed: removed.length, changed: changed.length },
})

/** Compares two outlines. Operations are matched by method and path, schemas by name. */
export function compareOutlines(before: Outline, after: Outline): SpecChanges {
  const operations = compared(before.operations, after.operations, addressOf)
  const schemas = compared(before.schemas, after.schemas, ({ name }) => name)
  // An operation can break without a change of its own, by a parameter that it refers to.
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
    breaking: breaking.slice(0, MOST),
    breakingCount: breaking.length,
  }
}

function brokenOperation(before: Operation, after: Operation): string[] {
  const found = [...brokenParameters(before, after)]
  if (after.body?.required && !before.body?.required) found.push('A body is required now.')
  if (before.body && !after.body) found.push('It takes no body any more.')
  for (const type of before.body?.types ?? [])
    if (after.body && !after.body.types.includes(type)) found.push(`The body can no longer be ${type}.`)
  for (const [status, types] of Object.entries(before.responses)) {
    if (!/^(2|default$)/i.test(status)) continue
    const now = Object.hasOwn(after.responses, status) ? after.responses[status] : undefined
    if (!now) found.push(`The response ${status} was removed.`)
    else
      for (const type of types)
        if (!now.includes(type)) found.push(`The response ${status} is no longer given as ${type}.`)
  }
  return found
}

/** Parameters of paths are matched by their place, since their names may change; others by where they are and their name. */
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
    if (parameter.required && !earlier.required) yield `${name} is required now.`
    if (parameter.type !== earlier.type) yield `${name} was ${earlier.type} and is ${parameter.type} now.`
    yield* lostValues(earlier.enum, parameter.enum, name)
  }
}

function* lostValues(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  name: string,
): Generator<string> {
  if (!after) return
  if (!before) yield `${name} can only have certain values now.`
  for (const value of before ?? []) if (!after.includes(value)) yield `${name} can no longer be ${value}.`
}

function brokenSchema(before: SchemaOutline, after: SchemaOutline): string[] {
  const found = [...lostValues(before.enum, after.enum, 'It')]
  if (before.type !== after.type) found.push(`It was ${before.type} and is ${after.type} now.`)
  for (const [name, type] of Object.entries(before.properties)) {
    const now = Object.hasOwn(after.properties, name) ? after.properties[name] : undefined
    if (now === undefined) found.push(`The property ${name} was removed.`)
    else if (now !== type) found.push(`The property ${name} was ${type} and is ${now} now.`)
  }
  for (const name of after.required)
    if (!before.required.includes(name)) found.push(`The property ${name} is required now.`)
  return found
}
