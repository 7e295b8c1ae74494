import type { Collection, Document, Draft } from '../kernel/documents.js'

export { type Collection, collection, type Document, type Draft } from '../kernel/documents.js'

/** Reads, the same inside and outside a transaction. Documents come frozen. */
export interface Reader {
  /** The document, or null. */
  get<T extends object>(of: Collection<T, string>, id: string): Promise<Document<T> | null>
  /** All documents under `key` of an index, in no order promised. */
  find<T extends object, I extends string>(of: Collection<T, I>, index: I, key: string): Promise<Document<T>[]>
  /** How many `find` would answer, without building the list. */
  count<T extends object, I extends string>(of: Collection<T, I>, index: I, key: string): Promise<number>
  /** All documents of the collection. */
  all<T extends object>(of: Collection<T, string>): Promise<Document<T>[]>
}

export interface Transaction extends Reader {
  /** Adds a document, version 1. Throws `DuplicateKey` where the ID or a unique key is taken. */
  insert<T extends object>(of: Collection<T, string>, draft: Draft<T>): Promise<Document<T>>
  /** Replaces a document whose `version` must be the stored one; answers it with version + 1. Throws `StaleDocument`, `NoDocument`. */
  replace<T extends object>(of: Collection<T, string>, document: Document<T>): Promise<Document<T>>
  /** Removes a document; answers whether it was there. */
  remove(of: Collection<never, string> | Collection<object, string>, id: string): Promise<boolean>
}

export interface Store extends Reader {
  /**
   * Runs `work` alone (serializable) and commits what it wrote: all of it, durably, before the promise resolves, or
   * nothing. `work` may be run again by an adapter that retries, so it must have no effect but through `tx`.
   */
  transact<R>(work: (tx: Transaction) => Promise<R>): Promise<R>
  insert: Transaction['insert']
  replace: Transaction['replace']
  remove: Transaction['remove']
  /** Writes checkpoints, releases the lock. */
  close(): Promise<void>
}
