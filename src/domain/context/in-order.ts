/**
 * Reads the documents of background work in a stored order. Neither the memory nor the time for which other work waits
 * grows with the table.
 */
import { required } from '../../kernel/defined.js'
import type { PageReader, SortKey } from '../../kernel/paging.js'
import { Slices } from '../../kernel/slices.js'
import type { Document, Store, Table } from '../../store/index.js'

/** Number of documents that are read, or removed in one transaction, at a time. */
const AT_ONCE = 200

/**
 * Yields the documents of a list in its order, for work on each of them that draws no conclusion from an absent one:
 * those of a damaged file are left out. Requests run between the documents. A document that moves in the list during the
 * work may be yielded twice, or not at all.
 */
export async function* eachInOrder<T extends object, O extends string>(
  reader: PageReader,
  of: Table<T, string, O>,
  order: O,
  group = 'all',
): AsyncGenerator<Document<T>, void> {
  const { by } = required(of.orders?.[order])
  const slices = new Slices()
  for (let after: SortKey | undefined, more = true; more; ) {
    const range = { limit: AT_ONCE, direction: 'asc' as const, intact: true, ...(after ? { after } : {}) }
    const page = await reader.page(of, order, group, range)
    for (const document of page.documents) {
      if (slices.due) await slices.rest()
      after = [by(document), document.id]
      yield document
    }
    more = page.more
  }
}

/** Removes documents from the start of a list, up to the first one that is not to be removed. */
export async function removeFirst<T extends object, O extends string>(
  store: Store,
  of: Table<T, string, O>,
  order: O,
  isRemoved: (document: Document<T>) => boolean,
): Promise<void> {
  for (let isOver = false; !isOver; )
    isOver = await store.transact(async (tx) => {
      const { documents, more } = await tx.page(of, order, 'all', { limit: AT_ONCE, direction: 'asc', intact: true })
      const firstKept = documents.findIndex((document) => !isRemoved(document))
      const removed = firstKept < 0 ? documents : documents.slice(0, firstKept)
      for (const { id } of removed) await tx.remove(of, id)
      return !more || removed.length < documents.length
    })
}

/** Returns the number of documents in a list, without those of a damaged file. */
export const lengthOf = async <T extends object, O extends string>(
  reader: PageReader,
  of: Table<T, string, O>,
  order: O,
  group = 'all',
): Promise<number> => (await reader.page(of, order, group, { limit: 0, direction: 'asc', intact: true })).count
