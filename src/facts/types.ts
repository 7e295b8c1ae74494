/** What the index holds, and what it is opened with. */

/** One fact: `value` is what is derived of kind `kind` from the object `oid`. */
export interface FactRow {
  kind: string
  oid: string
  /** Without line feeds: JSON. */
  value: string
}

export interface FactsOptions {
  /** Path of the SQLite file. Nothing is lost if it is deleted while the service is stopped. */
  file: string
  /** Names the code that makes the facts: rows of another version are dropped. */
  version: number
  /** Size of the file, in bytes, from which the oldest rows are dropped. */
  maxBytes: number
  /** Told, in a sentence for the operator, if the index is damaged or cannot be used. */
  notice(message: string): void
}
