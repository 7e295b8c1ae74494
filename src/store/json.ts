/** Freezes documents, and ensures that writing them as JSON and reading them back changes nothing. */

const MAX_DEPTH = 200

/** Freezes a value from `JSON.parse` with everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const name in value) deepFreeze(value[name])
  return Object.freeze(value)
}

const refuse = (path: string, what: string): never => {
  throw new TypeError(`a document contains ${what} at ${path || 'its root'}. Only JSON can be stored`)
}

/**
 * Returns a frozen copy of `value`, equal to the value that is later read from the disk. Drops undefined members, as
 * JSON does. Throws `TypeError` for values that JSON would change or lose: functions, NaN, dates, class instances,
 * undefined in lists, cycles.
 */
export function frozenJson<T>(value: T): T
export function frozenJson(value: unknown, path: string, depth: number): unknown
export function frozenJson(value: unknown, path = '', depth = 0): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : refuse(path, String(value))
  if (typeof value !== 'object') return refuse(path, value === undefined ? 'undefined' : `a ${typeof value}`)
  if (depth > MAX_DEPTH) return refuse(`${path.slice(0, 60)}…`, `more than ${MAX_DEPTH} levels (or itself)`)
  if (Array.isArray(value))
    return Object.freeze(Array.from(value, (item, index) => frozenJson(item, `${path}/${index}`, depth + 1)))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null)
    return refuse(path, `an instance of ${value.constructor?.name ?? 'a class'}`)
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    const kept = frozenJson(member, `${path}/${name}`, depth + 1)
    // An assignment to __proto__ would set the prototype instead of adding a member.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: kept, enumerable: true })
    else copy[name] = kept
  }
  return Object.freeze(copy)
}
