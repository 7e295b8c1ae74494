// Moves sections and spaces of a site within a list.
import { badRequest, conflict } from '../../../kernel/errors.js'
import type { SiteItemType } from '../../../model/index.js'

/** A sibling, by kind and ID. */
export interface ItemPointer {
  type: SiteItemType
  id: string
}

/** A position among siblings. Without `before` and `after`, it is the end. */
export interface SiblingPosition {
  before?: ItemPointer | undefined
  after?: ItemPointer | undefined
}

/**
 * Moves an item of a list: directly before `before`, otherwise directly after `after`, otherwise to the end. Throws 400
 * if one of them is not a sibling or they contradict each other, 409 if nothing would change.
 */
export function moveAmong<T extends { id: string }>(
  list: readonly T[],
  item: T,
  position: SiblingPosition,
  typeOf: (item: T) => SiteItemType,
): T[] {
  const rest = list.filter((other) => other.id !== item.id)
  const find = (field: 'before' | 'after'): number | undefined => {
    const pointer = position[field]
    if (pointer === undefined) return undefined
    const index = rest.findIndex((other) => other.id === pointer.id && typeOf(other) === pointer.type)
    if (index >= 0) return index
    throw badRequest('The position refers to an item that is not in the same list.', [
      {
        path: `/position/${field}`,
        message: 'must refer to another item of the same section, group or top level',
      },
    ])
  }
  const [before, after] = [find('before'), find('after')]
  if (before !== undefined && after !== undefined && after >= before)
    throw badRequest('`after` and `before` contradict each other.', [
      { path: '/position', message: '`after` must refer to an item before the one of `before`' },
    ])
  const index = before ?? (after === undefined ? rest.length : after + 1)
  const next = [...rest.slice(0, index), item, ...rest.slice(index)]
  if (next.every((other, i) => other.id === list[i]?.id))
    throw conflict('Nothing would change: the item is already at this position.')
  return next
}

/** Removes an item. If it was the default, the next item becomes the default, otherwise the first, otherwise none. */
export function without<T extends { id: string }>(
  list: readonly T[],
  id: string,
  byDefault: string | null,
): { rest: T[]; byDefault: string | null } {
  const index = list.findIndex((item) => item.id === id)
  const rest = list.filter((item) => item.id !== id)
  return { rest, byDefault: byDefault === id ? ((rest[index] ?? rest[0])?.id ?? null) : byDefault }
}
