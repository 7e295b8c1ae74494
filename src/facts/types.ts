/** What the index holds, and what it is opened with. */

/** All facts that are derived from the object `oid`. */
export interface FactRow {
  oid: string
  /** One for each of `FactsOptions.kinds`, in their order; null if it is not kept. Without line feeds: JSON. */
  values: readonly (string | null)[]
}

export interface FactsOptions {
  /** Path of the SQLite file. Nothing is lost if it is deleted while the service is stopped. */
  file: string
  /** What is derived of each object. The first are read without touching what comes after them. */
  kinds: readonly string[]
  /** Names the code that makes the facts: rows of another version are dropped. */
  version: number
  /** Size of the file, in bytes, from which the oldest rows are dropped. */
  maxBytes: number
  /** Told, in a sentence for the operator, if the index is damaged or cannot be used. */
  notice(message: string): void
}
