/** A store that records its reads. */
import { overlay } from '../kernel/overlay.js'
import type { Recording } from '../kernel/recording.js'
import type { Store } from './types.js'
import { orderOf } from './transaction.js'
import type { AnyOrder, AnyTable } from './view.js'

/** Numbers that change with documents, and never return to earlier values. */
export interface Stamps {
  /** Changes whenever any stamp changes. */
  readonly version: number
  /** Changes when the document is written, also when it is created or removed. */
  stamp(id: string): number
  /** Changes when a document gets or loses a key of an index. */
  keyStamp(index: string, key: string): number
  /**
   * Whether the stamp of a key also changes when a document with this key is written. If not, stamps only increase, and
   * none is greater than `version`.
   */
  readonly keysFollowDocuments: boolean
  /** Changes when a document of a sorted list is written, added or removed. Absent = unknown. */
  listStamp?(order: AnyOrder, group: string): number
}

/** Returns the name under which a document is recorded. */
export const noteOf = (of: Pick<AnyTable, 'name'>, id: string): string => `${of.name} ${id}`

/**
 * Returns a store that records reads by ID, index or order with their stamps. Any other read makes the recording unusable.
 * @param tableOf returns the stamps of a table
 */
export function recordedStore(store: Store, recording: Recording, tableOf: (of: AnyTable) => Stamps): Store {
  const noteDocument = (of: AnyTable, id: string, most = Number.POSITIVE_INFINITY): void => {
    const table = tableOf(of)
    const stamp = () => table.stamp(id)
    recording.recordValue(noteOf(of, id), Math.min(stamp(), most), stamp, table)
  }
  const noteKey = (of: AnyTable, index: string, key: string): void => {
    const table = tableOf(of)
    const stamp = () => table.keyStamp(index, key)
    recording.recordValue(`${of.name} by ${index} ${key}`, stamp(), stamp, table)
  }
  const own: Partial<Store> = {
    get: (of, id) => {
      noteDocument(of, id)
      return store.get(of, id)
    },
    find: async (of, index, key) => {
      const table = tableOf(of)
      const before = table.version
      noteKey(of, index, key)
      const found = await store.find(of, index, key)
      // A document that was written after the search started may have either version. Its stamp is then greater than
      // `before`, and never equals it.
      if (!table.keysFollowDocuments) for (const { id } of found) noteDocument(of, id, before)
      return found
    },
    page: (of, order, group, range) => {
      const table = tableOf(of)
      const list = orderOf(of, order)
      const stamp = table.listStamp && (() => table.listStamp?.(list, group) ?? null)
      if (stamp) recording.recordValue(`${of.name} in ${order} of ${group}`, stamp(), stamp, table)
      else recording.recordUnknown()
      return store.page(of, order, group, range)
    },
    count: (of, index, key) => {
      noteKey(of, index, key)
      return store.count(of, index, key)
    },
    close: () => store.close(),
  }
  return overlay(() => store, own, { asked: () => recording.recordUnknown() })
}
