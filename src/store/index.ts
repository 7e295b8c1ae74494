/** A document: plain JSON with an ID, and a version that grows by one with every replacement. */
export type Document<T extends object = object> = T & { readonly id: string; readonly version: number }

/** What is handed in: a document without its version. */
export type Draft<T extends object> = T & { readonly id: string }

/** A kind of document: its name, its indexes, and which checkpoint file holds a document. */
export interface Collection<T extends object, I extends string = string> {
  readonly name: string
  /** Index name → the key (or keys) under which a document is found; null = not in this index. */
  readonly indexes: { readonly [K in I]: (document: Draft<T>) => string | readonly string[] | null }
  /** Index names whose keys may occur once only; a second insert throws `DuplicateKey`. */
  readonly unique?: readonly I[]
  /** The aggregate or owner whose checkpoint file holds the document (for example its space). Default: the collection. */
  readonly owner?: (document: Draft<T>) => string
}

/** Declares a collection with its types inferred. */
export const collection =
  <T extends object>() =>
  <I extends string = never>(c: Collection<T, I>): Collection<T, I> =>
    c

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
