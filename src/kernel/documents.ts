/** A document: plain JSON with an ID, and a version that grows by one with every replacement. */
export type Document<T extends object = object> = T & { readonly id: string; readonly version: number }

/** What is handed in: a document without its version. */
export type Draft<T extends object> = T & { readonly id: string }

/**
 * An order in which documents can be read page by page, however many there are. Both functions look at the document alone,
 * and answer the same for the same document.
 */
export interface Order<T extends object> {
  /** The list (or lists) that a document is in; null = in none. */
  readonly group: (document: Draft<T>) => string | readonly string[] | null
  /** What the list is sorted by, before the ID. Numbers come before strings, strings by UTF-16 code units. */
  readonly by: (document: Draft<T>) => string | number
}

/** A kind of document: its name, its indexes, and which checkpoint file holds a document. */
export interface Table<T extends object, I extends string = string, O extends string = string> {
  readonly name: string
  /** Index name → the key (or keys) under which a document is found; null = not in this index. */
  readonly indexes: { readonly [K in I]: (document: Draft<T>) => string | readonly string[] | null }
  /** Index names whose keys may occur once only; a second insert throws `DuplicateKey`. */
  readonly unique?: readonly NoInfer<I>[]
  /** Order name → how `page` sorts; built at its first use. */
  readonly orders?: { readonly [K in O]: Order<T> }
  /** The aggregate or owner whose checkpoint file holds the document (for example its space). Default: the table. */
  readonly owner?: (document: Draft<T>) => string
}

/** Declares a table with its types inferred. */
export const table =
  <T extends object>() =>
  <I extends string = never, O extends string = never>(c: Table<T, I, O>): Table<T, I, O> =>
    c

/** Where a document of an earlier release goes: the table that held it, and the order in which they follow each other. */
export interface Former<T extends object> {
  readonly table: string
  readonly by: (record: T) => string
  /** The position that a document had already said; absent = they are numbered as they follow each other. */
  readonly position?: (record: T) => number
}

/**
 * A kind of record that is only ever added and, when it is old, dropped. Records lie on the disk, in groups, each numbered
 * 1, 2, 3 … (or from a later number on, where the first to be added says so) in the order of commitment; only what is needed to find them is in memory. The name begins with `journal-`.
 */
export interface Journal<T extends object> {
  readonly name: `journal-${string}`
  readonly group: (record: T) => string
  /** When it was, ISO 8601 in UTC: records of a day lie together. */
  readonly at: (record: T) => string
  readonly formerly?: Former<T>
}

/** Declares a journal with its type inferred. */
export const journal =
  <T extends object>() =>
  (j: Journal<T>): Journal<T> =>
    j

/** What is wanted of a group of a journal. */
export interface JournalQuery<T extends object> {
  /** Only records behind this position, in the direction. */
  after?: number
  direction: 'asc' | 'desc'
  /** Most records to answer. */
  limit: number
  /** Most records to look at: a rare match must not read the whole journal. */
  most?: number
  /** ISO times, both included. */
  from?: string | undefined
  to?: string | undefined
  matches?: (record: T) => boolean
}

/** A record and its place in its group. */
export interface Recorded<T extends object> {
  readonly position: number
  readonly record: T
}

export interface FoundRecords<T extends object> {
  readonly records: Recorded<T>[]
  /** Position behind which a next look goes on; null = there is nothing more. */
  readonly next: number | null
  /** How many records were looked at. */
  readonly looked: number
}

/** Who can read journals. */
export interface JournalReader {
  /** Records of a group. Costs grow with what is looked at, not with the journal. */
  read<T extends object>(of: Journal<T>, group: string, query: JournalQuery<T>): Promise<FoundRecords<T>>
  /** How many records a group has, and the position of the next. */
  extent(of: Journal<never>, group: string): Promise<{ count: number; next: number }>
}
