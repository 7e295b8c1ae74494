/** Type guards for values of unknown type, such as parsed JSON or YAML. */

/** Whether a value is an object with members, as opposed to an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is one of a list. */
export const isOneOf = <const T>(values: readonly T[], value: unknown): value is T =>
  values.some((one) => one === value)

/** Whether an object itself has a member of this name, as opposed to its prototype. */
export const hasOwn = <T extends object>(members: T, name: PropertyKey): name is keyof T => Object.hasOwn(members, name)

/** Returns a member of a value of any type; undefined if the value itself does not have it. */
export const ownMember = (value: unknown, name: PropertyKey): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
