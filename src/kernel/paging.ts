// Pages of lists and their cursors.
import { required } from './defined.js'
import type { Table, Document } from './documents.js'
import { badRequest } from './errors.js'

/** The query of a paged operation. */
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

/** The sort key of an item: its sort value, then its ID, so that no two keys are equal. */
export type SortKey = readonly [value: string | number, id: string]

export type Direction = 'asc' | 'desc'

/** The requested range of a sorted list of documents. */
export interface PageRange {
  /** Starts after this key, which may no longer exist; absent = at the start (for `desc`: at the end). */
  after?: SortKey
  limit: number
  direction: Direction
  /**
   * Leaves out the documents of a damaged file, instead of throwing its error: for work on each document that draws no
   * conclusion from an absent one.
   */
  intact?: boolean
}

/** The documents of a range. `count` is the length of the whole list; `more` is whether it continues. */
export interface RangePage<T extends object> {
  documents: Document<T>[]
  count: number
  more: boolean
}

/** Reads documents in the orders that their table declares. */
export interface PageReader {
  /**
   * Returns a range of the list `group` in an order of the table. The cost depends on `limit`, and hardly on the list.
   */
  page<T extends object, O extends string>(
    of: Table<T, string, O>,
    order: O,
    group: string,
    stretch: PageRange,
  ): Promise<RangePage<T>>
}

/** Compares sort keys for `sort`. Numbers come before strings. */
export function compareSortKeys(a: SortKey, b: SortKey): number {
  if (typeof a[0] !== typeof b[0]) return typeof a[0] === 'number' ? -1 : 1
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0
}

/** Returns the cursor that continues after an item. */
export const encodeCursor = (key: SortKey): string => Buffer.from(JSON.stringify(key)).toString('base64url')

/** Decodes a cursor. Throws 400 if it is not one. */
export function decodeCursor(cursor: string): SortKey {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(decoded) && decoded.length === 2) {
      const [key, id]: unknown[] = decoded
      if ((typeof key === 'string' || typeof key === 'number') && typeof id === 'string') return [key, id]
    }
  } catch {
    // Rejected below, like any other text that is not a cursor.
  }
  throw badRequest('page is not a cursor of this list.', [
    { path: 'query/page', message: 'use the value of next.page, or omit it' },
  ])
}

/**
 * Returns one page of a list that the store keeps sorted, for lists that may be long. Cursors are compatible with
 * `paginate`,
 * so a list can change from one to the other.
 */
export async function pageOf<T extends object, O extends string>(
  reader: PageReader,
  of: Table<T, string, O>,
  order: O,
  group: string,
  query: PageQuery & { order?: Direction },
): Promise<Page<Document<T>>> {
  const { order: direction = 'asc' } = query
  const after = query.page === undefined ? {} : { after: decodeCursor(query.page) }
  const { documents, count, more } = await reader.page(of, order, group, { ...after, limit: query.limit, direction })
  const last = documents.at(-1)
  const by = of.orders?.[order].by
  return {
    items: documents,
    count,
    ...(more && last && by ? { next: { page: encodeCursor([by(last), last.id]) } } : {}),
  }
}

/**
 * Sorts `all` and returns one page. The cursor names the last item, by sort value and ID, so that additions and
 * removals
 * elsewhere cause no repeated or missing items.
 */
export function paginate<T>(
  all: readonly T[],
  query: PageQuery,
  key: (item: T) => SortKey,
  order: Direction = 'asc',
): Page<T> {
  const sign = order === 'asc' ? 1 : -1
  const sorted = all.map((item) => [key(item), item] as const).sort((a, b) => sign * compareSortKeys(a[0], b[0]))
  const page = paginateSorted(sorted, query, ([of]) => of, order)
  return { ...page, items: page.items.map(([, item]) => item) }
}

/** Like `paginate`, for a sorted list. */
export function paginateSorted<T>(
  sorted: readonly T[],
  query: PageQuery,
  key: (item: T) => SortKey,
  order: Direction = 'asc',
): Page<T> {
  const sign = order === 'asc' ? 1 : -1
  let from = 0
  if (query.page !== undefined) {
    const after = decodeCursor(query.page)
    for (let end = sorted.length; from < end; ) {
      const middle = (from + end) >>> 1
      if (sign * compareSortKeys(key(required(sorted[middle])), after) > 0) end = middle
      else from = middle + 1
    }
  }
  const items = sorted.slice(from, from + query.limit)
  const last = items.at(-1)
  const more = last !== undefined && from + items.length < sorted.length
  return { items, count: sorted.length, ...(more ? { next: { page: encodeCursor(key(last)) } } : {}) }
}
