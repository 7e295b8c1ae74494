/** A store that records its reads. */
import type { Journal, JournalQuery } from '../kernel/documents.js'
import type { PageRange } from '../kernel/paging.js'
import type { Recording } from '../kernel/recording.js'
import type { Document, Draft, Store, Table, Transaction } from './types.js'
import type { AnyTable } from './view.js'

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
}

/** Returns the name under which a document is recorded. */
export const noteOf = (of: Pick<AnyTable, 'name'>, id: string): string => `${of.name} ${id}`

/** A store that records reads by ID or index with their stamps. Any other read makes the recording unusable. */
export class RecordedStore implements Store {
  readonly #store: Store
  readonly #recording: Recording
  readonly #table: (of: AnyTable) => Stamps

  constructor(store: Store, recording: Recording, table: (of: AnyTable) => Stamps) {
    this.#store = store
    this.#recording = recording
    this.#table = table
  }

  get<T extends object>(of: Table<T, string>, id: string) {
    this.#noteDocument(of, id)
    return this.#store.get(of, id)
  }

  async find<T extends object, I extends string>(of: Table<T, I>, index: I, key: string) {
    const table = this.#table(of)
    const before = table.version
    this.#noteKey(of, index, key)
    const found = await this.#store.find(of, index, key)
    // A document that was written after the search started may have either version. Its stamp is then greater than
    // `before`, and never equals it.
    if (!table.keysFollowDocuments) for (const { id } of found) this.#noteDocument(of, id, before)
    return found
  }

  #noteDocument(of: AnyTable, id: string, most = Number.POSITIVE_INFINITY): void {
    const table = this.#table(of)
    const stamp = () => table.stamp(id)
    this.#recording.recordValue(noteOf(of, id), Math.min(stamp(), most), stamp, table)
  }

  count<T extends object, I extends string>(of: Table<T, I>, index: I, key: string) {
    this.#noteKey(of, index, key)
    return this.#store.count(of, index, key)
  }

  #noteKey(of: AnyTable, index: string, key: string): void {
    const table = this.#table(of)
    const stamp = () => table.keyStamp(index, key)
    this.#recording.recordValue(`${of.name} by ${index} ${key}`, stamp(), stamp, table)
  }

  page<T extends object, O extends string>(of: Table<T, string, O>, order: O, group: string, stretch: PageRange) {
    return this.#unknown().page(of, order, group, stretch)
  }
  all<T extends object>(of: Table<T, string>) {
    return this.#unknown().all(of)
  }
  read<T extends object>(of: Journal<T>, group: string, query: JournalQuery<T>) {
    return this.#unknown().read(of, group, query)
  }
  extent(of: Journal<never>, group: string) {
    return this.#unknown().extent(of, group)
  }
  groups(of: Journal<never>) {
    return this.#unknown().groups(of)
  }
  transact<R>(work: (tx: Transaction) => Promise<R>) {
    return this.#unknown().transact(work)
  }
  insert<T extends object>(of: Table<T, string>, draft: Draft<T>) {
    return this.#unknown().insert(of, draft)
  }
  replace<T extends object>(of: Table<T, string>, document: Document<T>) {
    return this.#unknown().replace(of, document)
  }
  remove<T extends object>(of: Table<T, string>, id: string) {
    return this.#unknown().remove(of, id)
  }
  drop(of: Journal<never>, group: string, before: number) {
    return this.#unknown().drop(of, group, before)
  }
  recorded(recording: Recording) {
    return this.#unknown().recorded(recording)
  }
  close() {
    return this.#store.close()
  }

  #unknown(): Store {
    this.#recording.recordUnknown()
    return this.#store
  }
}
