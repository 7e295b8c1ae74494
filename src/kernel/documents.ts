/** A document: plain JSON with an ID, and a version that increases by one with every replacement. */
export type Document<T extends object = object> = T & { readonly id: string; readonly version: number }

/** A document to store, without a version. */
export type Draft<T extends object> = T & { readonly id: string }

/**
 * A sort order for reading documents page by page, regardless of their number. Both functions depend only on the
 * document
 * and are deterministic.
 */
export interface Order<T extends object> {
  /** Returns the list (or lists) that contain the document; null = none. */
  readonly group: (document: Draft<T>) => string | readonly string[] | null
  /**
   * Returns the sort value. Documents with equal values are sorted by ID. Numbers come before strings; strings are
   * compared by UTF-16 code units.
   */
  readonly by: (document: Draft<T>) => string | number
}

/**
 * A table of the store, with documents of one kind: its name, its indexes, and the checkpoint file of each document.
 */
export interface Table<T extends object, I extends string = string, O extends string = string> {
  readonly name: string
  /** Index name → the key (or keys) of a document in it; null = not in this index. */
  readonly indexes: { readonly [K in I]: (document: Draft<T>) => string | readonly string[] | null }
  /** Names of the indexes with unique keys. A second insert throws `DuplicateKey`. */
  readonly unique?: readonly NoInfer<I>[]
  /** Order name → the order that `page` sorts by. It is built on first use. */
  readonly orders?: { readonly [K in O]: Order<T> }
  /**
   * The owner whose checkpoint file contains the document, for example its space: the name of the index whose key it is,
   * or a function that returns it. If a file is damaged, the index shows which keys are not concerned. Default: one file
   * for the whole table.
   */
  readonly owner?: NoInfer<I> | ((document: Draft<T>) => string)
}

/** Declares a table with its types inferred. */
export const table =
  <T extends object>() =>
  <I extends string = never, O extends string = never>(c: Table<T, I, O>): Table<T, I, O> =>
    c

/**
 * A journal contains records of one kind, which are only added and, when they are old, dropped. Records are on disk, in
 * groups.
 * Records of a group are numbered 1, 2, 3 … (or from a later number on, if the first record sets it) in commit order.
 * Memory only contains the data to find them. The name starts with `journal-`.
 */
export interface Journal<T extends object> {
  readonly name: `journal-${string}`
  readonly group: (record: T) => string
  /** Returns the time of the record, ISO 8601 in UTC. */
  readonly at: (record: T) => string
}

/** Declares a journal with its type inferred. */
export const journal =
  <T extends object>() =>
  (j: Journal<T>): Journal<T> =>
    j

/** A query for records of a group. */
export interface JournalQuery<T extends object> {
  /** Only records after this position, in the given direction. */
  after?: number
  direction: 'asc' | 'desc'
  /** Maximum number of records to return. */
  limit: number
  /** Maximum number of records to read, so that a search for a rare match does not read the whole journal. */
  most?: number
  /** ISO times, both inclusive. */
  from?: string | undefined
  to?: string | undefined
  matches?: (record: T) => boolean
}

/** A record and its position in its group. */
export interface Recorded<T extends object> {
  readonly position: number
  readonly record: T
}

export interface JournalPage<T extends object> {
  readonly records: Recorded<T>[]
  /** The `after` of the next query; null = there are no more records. */
  readonly next: number | null
  /** Number of records that were read. */
  readonly looked: number
}

export interface JournalReader {
  /** Returns records of a group. The cost depends on the number of records read, not on the size of the journal. */
  read<T extends object>(of: Journal<T>, group: string, query: JournalQuery<T>): Promise<JournalPage<T>>
  /** Returns the number of records in a group, and the position of the next one. */
  extent(of: Journal<never>, group: string): Promise<{ count: number; next: number }>
}
