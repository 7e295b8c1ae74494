/** A document: plain JSON with an ID, and a version that grows by one with every replacement. */
export type Document<T extends object = object> = T & { readonly id: string; readonly version: number }

/** A document to be stored: it has no version yet. */
export type Draft<T extends object> = T & { readonly id: string }

/**
 * An order in which documents can be read page by page, however many there are. Both functions depend only on the document
 * and return the same for the same document.
 */
export interface Order<T extends object> {
  /** The list (or lists) that contain the document; null = none. */
  readonly group: (document: Draft<T>) => string | readonly string[] | null
  /** The sort value; documents with the same one are sorted by ID. Numbers come before strings, strings are compared by UTF-16 code units. */
  readonly by: (document: Draft<T>) => string | number
}

/** A table of the store holds the documents of one kind: its name, its indexes, and which checkpoint file holds a document. */
export interface Table<T extends object, I extends string = string, O extends string = string> {
  readonly name: string
  /** Index name → the key (or keys) under which a document is found; null = not in this index. */
  readonly indexes: { readonly [K in I]: (document: Draft<T>) => string | readonly string[] | null }
  /** Names of the indexes whose keys may occur only once; a second insert throws `DuplicateKey`. */
  readonly unique?: readonly NoInfer<I>[]
  /** Order name → how `page` sorts; built when it is first used. */
  readonly orders?: { readonly [K in O]: Order<T> }
  /** The owner whose checkpoint file holds the document, for example its space. Default: one file for the whole table. */
  readonly owner?: (document: Draft<T>) => string
}

/** Declares a table with its types inferred. */
export const table =
  <T extends object>() =>
  <I extends string = never, O extends string = never>(c: Table<T, I, O>): Table<T, I, O> =>
    c

/**
 * A journal holds records of one kind, which are only added and, when they are old, dropped. Records are on the disk, in groups.
 * Those of a group are numbered 1, 2, 3 … (or from a later number on, if the first says so) in the order of commitment. Memory
 * holds only what is needed to find them. The name begins with `journal-`.
 */
export interface Journal<T extends object> {
  readonly name: `journal-${string}`
  readonly group: (record: T) => string
  /** The time of the record, ISO 8601 in UTC. */
  readonly at: (record: T) => string
}

/** Declares a journal with its type inferred. */
export const journal =
  <T extends object>() =>
  (j: Journal<T>): Journal<T> =>
    j

/** Which records of a group are wanted. */
export interface JournalQuery<T extends object> {
  /** Only records after this position, in the direction. */
  after?: number
  direction: 'asc' | 'desc'
  /** Maximum number of records to return. */
  limit: number
  /** Maximum number of records to read: a search for a rare match must not read the whole journal. */
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

export interface FoundRecords<T extends object> {
  readonly records: Recorded<T>[]
  /** The `after` of the query that continues; null = there is nothing more. */
  readonly next: number | null
  /** How many records were read. */
  readonly looked: number
}

export interface JournalReader {
  /** Records of a group. The cost grows with the number of records read, not with the journal. */
  read<T extends object>(of: Journal<T>, group: string, query: JournalQuery<T>): Promise<FoundRecords<T>>
  /** How many records a group has, and the position of the next one. */
  extent(of: Journal<never>, group: string): Promise<{ count: number; next: number }>
}
