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
  readonly unique?: readonly NoInfer<I>[]
  /** The aggregate or owner whose checkpoint file holds the document (for example its space). Default: the collection. */
  readonly owner?: (document: Draft<T>) => string
}

/** Declares a collection with its types inferred. */
export const collection =
  <T extends object>() =>
  <I extends string = never>(c: Collection<T, I>): Collection<T, I> =>
    c
