/** Looks at values of a bundled specification, which may have any form where the specification leaves it open. */

/** The members of a path item that are operations. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** Whether a value is an object with members. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object; none for anything else. */
export const membersOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])

/** The items of a list; none for anything else. */
export const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** References that lead to each other: more are not followed. */
export const MAX_HOPS = 20

/** Follows references within the document; null if they lead nowhere, to another file, to no object, or in a circle. */
export function resolveIn(document: unknown, value: unknown): Record<string, unknown> | null {
  const found = follow(document, value)
  return isObject(found) ? found : null
}

/** A schema that is `true` (anything is right) or `false` (nothing is), as OpenAPI has them from 3.1 on, itself or by references; null for any other. */
export function booleanIn(document: unknown, value: unknown): boolean | null {
  const found = follow(document, value)
  return typeof found === 'boolean' ? found : null
}

/** Whether a reference leads to other references in a circle, or more than `MAX_HOPS` times. */
export const isChain = (document: unknown, value: unknown): boolean => follow(document, value) === 'chain'

function follow(document: unknown, value: unknown): Record<string, unknown> | boolean | 'chain' | null {
  let at = value
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    if (!isObject(at)) return typeof at === 'boolean' ? at : null
    if (typeof at.$ref !== 'string') return at
    if (!at.$ref.startsWith('#/')) return null
    at = at.$ref.slice(2).split('/').reduce(memberAt, document)
  }
  return 'chain'
}

/** The value under one part of a JSON pointer. */
function memberAt(value: unknown, part: string): unknown {
  const key = decodePart(part).replaceAll('~1', '/').replaceAll('~0', '~')
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
