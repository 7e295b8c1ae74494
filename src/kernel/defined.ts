/** Functions for values that may be undefined. */

/** The object type in which members that may be undefined are optional. */
export type Defined<T extends object> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Returns a copy of an object without the members whose value is undefined. To be spread into objects with optional members. */
export function defined<T extends object>(members: T): Defined<T> {
  const copy: Record<string, unknown> = {}
  for (const name in members) if (members[name] !== undefined) copy[name] = members[name]
  return copy as Defined<T>
}

/** Returns a value that must exist, such as an element below the length of a list. Throws if it does not. */
export function required<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null) throw new Error('A value that must exist is missing.')
  return value
}

/** Returns a member of an object by its name; undefined if only its prototype has it. */
export const own = <T>(members: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined

/** Returns the names of the members that an object has, or that a change gives it, with their types. */
export const keysOf = <T extends object>(members: T): (keyof T & string)[] =>
  Object.keys(members) as (keyof T & string)[]

/** Returns an object with a member for each name. */
export const fromNames = <const K extends string, T>(names: readonly K[], memberFor: (name: K) => T): Record<K, T> =>
  Object.fromEntries(names.map((name) => [name, memberFor(name)])) as Record<K, T>

/** The object type with optional members instead of members that may be null. */
type WithoutNulls<T extends object> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>
}

/** Returns a copy of an object without the members whose value is null, as if they had never been set. */
export function withoutNulls<T extends object>(members: T): WithoutNulls<T> {
  const copy: Record<string, unknown> = {}
  for (const name in members) if (members[name] !== null) copy[name] = members[name]
  return copy as WithoutNulls<T>
}
