/** Leaves out the members of an object that are undefined. */

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
