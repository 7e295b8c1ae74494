import { badRequest } from './errors.js'

/** What a paged operation is asked for. */
export interface PageQuery {
  /** Opaque cursor from `next.page`. */
  page?: string
  /** 0 to 1000. */
  limit: number
}

/** The list envelope of the API; `count` is the total that matches. */
export interface Page<T> {
  items: T[]
  count: number
  next?: { page: string }
}

/** What an item is ordered by: its sort value, then its ID, so that no two are equal. */
export type SortKey = readonly [value: string | number, id: string]

const compare = (a: SortKey, b: SortKey): number => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0)

const encode = (key: SortKey): string => Buffer.from(JSON.stringify(key)).toString('base64url')

function decode(cursor: string): SortKey {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(key) && key.length === 2 && ['string', 'number'].includes(typeof key[0]) && typeof key[1] === 'string') return key as unknown as SortKey
  } catch {
    // answered below, like any other cursor that is none
  }
  throw badRequest('page is not a cursor of this list.', [{ path: 'query/page', message: 'use the value of next.page, or leave it out' }])
}

/**
 * One page of `all`. The cursor names the last item shown, by sort value and ID, so items that come or go elsewhere
 * neither repeat nor skip any.
 */
export function paginate<T>(all: readonly T[], query: PageQuery, key: (item: T) => SortKey, order: 'asc' | 'desc' = 'asc'): Page<T> {
  const sign = order === 'asc' ? 1 : -1
  const sorted = all.map((item) => [key(item), item] as const).sort((a, b) => sign * compare(a[0], b[0]))
  const after = query.page === undefined ? null : decode(query.page)
  const from = after ? sorted.findIndex(([k]) => sign * compare(k, after) > 0) : 0
  const shown = from < 0 ? [] : sorted.slice(from, from + query.limit)
  const last = shown.at(-1)
  const more = last !== undefined && from + shown.length < sorted.length
  return { items: shown.map(([, item]) => item), count: all.length, ...(more ? { next: { page: encode(last[0]) } } : {}) }
}
