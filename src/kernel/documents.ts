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
export interface Collection<T extends object, I extends string = string, O extends string = string> {
  readonly name: string
  /** Index name → the key (or keys) under which a document is found; null = not in this index. */
  readonly indexes: { readonly [K in I]: (document: Draft<T>) => string | readonly string[] | null }
  /** Index names whose keys may occur once only; a second insert throws `DuplicateKey`. */
  readonly unique?: readonly NoInfer<I>[]
  /** Order name → how `page` sorts; built at its first use. */
  readonly orders?: { readonly [K in O]: Order<T> }
  /** The aggregate or owner whose checkpoint file holds the document (for example its space). Default: the collection. */
  readonly owner?: (document: Draft<T>) => string
}

/** Declares a collection with its types inferred. */
export const collection =
  <T extends object>() =>
  <I extends string = never, O extends string = never>(c: Collection<T, I, O>): Collection<T, I, O> =>
    c
