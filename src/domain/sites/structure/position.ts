import { badRequest, conflict } from '../../../kernel/errors.js'
import type { SiteItemType } from '../../../model/index.js'

/** A sibling, by kind and ID. */
export interface Pointer {
  type: SiteItemType
  id: string
}

/** Where something goes among its siblings; neither = at the end. */
export interface Position {
  before?: Pointer | undefined
  after?: Pointer | undefined
}

/**
 * The list with one of its items at another place: directly before `before`, else directly after `after`, else at the
 * end. Throws 400 where one of them is no sibling or they contradict each other, 409 where nothing would change.
 */
export function moveAmong<T extends { id: string }>(list: readonly T[], item: T, position: Position, typeOf: (item: T) => SiteItemType): T[] {
  const rest = list.filter((other) => other.id !== item.id)
  const find = (field: 'before' | 'after'): number | undefined => {
    const pointer = position[field]
    if (pointer === undefined) return undefined
    const at = rest.findIndex((other) => other.id === pointer.id && typeOf(other) === pointer.type)
    if (at >= 0) return at
    throw badRequest('The position names nothing beside which the item could stand.', [
      { path: `/position/${field}`, message: 'must name another item of the same list: of the same section, group or top level' },
    ])
  }
  const [before, after] = [find('before'), find('after')]
  if (before !== undefined && after !== undefined && after >= before)
    throw badRequest('The position contradicts itself.', [{ path: '/position', message: '`after` must name an item that comes before that of `before`' }])
  const at = before ?? (after === undefined ? rest.length : after + 1)
  const next = [...rest.slice(0, at), item, ...rest.slice(at)]
  if (next.every((other, i) => other.id === list[i]?.id)) throw conflict('The item is at this place already: nothing would change.')
  return next
}

/** The list without an item, and what is its default then: the one that came after it, else the first, else none. */
export function without<T extends { id: string }>(list: readonly T[], id: string, byDefault: string | null): { rest: T[]; byDefault: string | null } {
  const at = list.findIndex((item) => item.id === id)
  const rest = list.filter((item) => item.id !== id)
  return { rest, byDefault: byDefault === id ? ((rest[at] ?? rest[0])?.id ?? null) : byDefault }
}
