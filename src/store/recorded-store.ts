/** A store that notes in a recording what is read from it. */
import type { Journal, JournalQuery } from '../kernel/documents.js'
import type { Stretch } from '../kernel/paging.js'
import type { Recording } from '../kernel/recording.js'
import type { DurableTable } from './durable-table.js'
import type { Document, Draft, Store, Table, Transaction } from './types.js'
import type { AnyTable } from './view.js'

/**
 * Documents that are read by ID or by an index are noted by their stamps: a document's changes whenever it is written, that of
 * an index's key whenever a document under it is. Whatever else is read makes the recording worthless.
 */
export class RecordedStore implements Store {
  readonly #store: Store
  readonly #recording: Recording
  readonly #table: (of: AnyTable) => DurableTable

  constructor(store: Store, recording: Recording, table: (of: AnyTable) => DurableTable) {
    this.#store = store
    this.#recording = recording
    this.#table = table
  }

  get<T extends object>(of: Table<T, string>, id: string) {
    const table = this.#table(of)
    const stamp = () => table.stamp(id)
    this.#recording.note(`${of.name} ${id}`, stamp(), stamp, table)
    return this.#store.get(of, id)
  }

  find<T extends object, I extends string>(of: Table<T, I>, index: I, key: string) {
    this.#noteKey(of, index, key)
    return this.#store.find(of, index, key)
  }

  count<T extends object, I extends string>(of: Table<T, I>, index: I, key: string) {
    this.#noteKey(of, index, key)
    return this.#store.count(of, index, key)
  }

  #noteKey(of: AnyTable, index: string, key: string): void {
    const table = this.#table(of)
    const stamp = () => table.keyStamp(index, key)
    this.#recording.note(`${of.name} by ${index} ${key}`, stamp(), stamp, table)
  }

  page<T extends object, O extends string>(of: Table<T, string, O>, order: O, group: string, stretch: Stretch) {
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
    this.#recording.unknown()
    return this.#store
  }
}
