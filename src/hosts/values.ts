/** Reads values from untrusted JSON. */

import { type CommitId, isOid } from '../kernel/ids.js'
import { ownMember } from '../kernel/guards.js'
/** Returns the value at a path; undefined if there is none. Inherited members do not count. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce(ownMember, value)
}

/** Returns the text at a path, cut to `most` characters; undefined if it is not a text or is empty. */
export function textAt(value: unknown, path: readonly (string | number)[], most = 1000): string | undefined {
  const found = at(value, ...path)
  return typeof found === 'string' && found !== '' ? found.slice(0, most) : undefined
}

/** Returns the positive integer at a path; undefined for other values. */
export function numberAt(value: unknown, ...path: (string | number)[]): number | undefined {
  const found = at(value, ...path)
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : undefined
}

/** Returns the list at a path; an empty list for other values. */
export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = path.length === 0 ? value : at(value, ...path)
  return Array.isArray(found) ? found : []
}

const NO_COMMIT = '0'.repeat(40)

/** Returns a full commit ID at a path; undefined for abbreviations, and for zeros, which mean no commit. */
export function commitAt(value: unknown, ...path: (string | number)[]): CommitId | undefined {
  const found = at(value, ...path)
  return typeof found === 'string' && isOid(found) && found !== NO_COMMIT ? found : undefined
}
