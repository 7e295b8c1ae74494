/** Reads values of a bundled specification, which may have any form where OpenAPI does not define one. */
import { isRecord, ownMember } from '../kernel/guards.js'

/** The members of a path item that are operations. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** Returns the members of an object; an empty list for other values. */
export const membersOf = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : [])

/** Returns the items of a list; an empty list for other values. */
export const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Maximum length of a chain of references. Longer chains are not followed. */
export const MAX_HOPS = 20

/**
 * Follows references within the document. Returns null if they point to nothing, to another file, to a value that is
 * not an object, or in a circle.
 */
export function resolveIn(document: unknown, value: unknown): Record<string, unknown> | null {
  const found = follow(document, value)
  return isRecord(found) ? found : null
}

/**
 * Returns a boolean schema, directly or through references; null for other schemas. From OpenAPI 3.1 on, `true` matches
 * every value and `false` matches none.
 */
export function booleanIn(document: unknown, value: unknown): boolean | null {
  const found = follow(document, value)
  return typeof found === 'boolean' ? found : null
}

/** Whether a reference leads into a circle, or through more than `MAX_HOPS` references. */
export const isEndlessChain = (document: unknown, value: unknown): boolean => follow(document, value) === 'chain'

function follow(document: unknown, value: unknown): Record<string, unknown> | boolean | 'chain' | null {
  let at = value
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    if (!isRecord(at)) return typeof at === 'boolean' ? at : null
    if (typeof at.$ref !== 'string') return at
    if (!at.$ref.startsWith('#/')) return null
    at = at.$ref.slice(2).split('/').reduce(memberAt, document)
  }
  return 'chain'
}

/** Returns the value under one part of a JSON pointer. */
function memberAt(value: unknown, part: string): unknown {
  const key = decodePart(part).replaceAll('~1', '/').replaceAll('~0', '~')
  return ownMember(value, key)
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
