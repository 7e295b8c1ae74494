/** Reads values out of JSON that others send, whatever it is. */

/** What is at a path; undefined if there is nothing. Members that every object inherits are nothing. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let now = value
  for (const name of path) {
    if (typeof now !== 'object' || now === null || !Object.hasOwn(now, name)) return undefined
    now = (now as Record<string | number, unknown>)[name]
  }
  return now
}

/** The text at a path, cut to `most` characters; undefined if it is no text, or empty. */
export function textAt(value: unknown, path: readonly (string | number)[], most = 1000): string | undefined {
  const found = at(value, ...path)
  return typeof found === 'string' && found !== '' ? found.slice(0, most) : undefined
}

/** A positive integer at a path. */
export function numberAt(value: unknown, ...path: (string | number)[]): number | undefined {
  const found = at(value, ...path)
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : undefined
}

/** The list at a path; empty if it is none. */
export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = path.length === 0 ? value : at(value, ...path)
  return Array.isArray(found) ? found : []
}

const COMMIT = /^[0-9a-f]{40}$/
const NOTHING = '0'.repeat(40)

/** A whole commit ID at a path; undefined for abbreviations, and for the zeros that stand for none. */
export function commitAt(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = at(value, ...path)
  return typeof found === 'string' && COMMIT.test(found) && found !== NOTHING ? found : undefined
}
