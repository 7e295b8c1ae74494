/** The rows and options of the index. */

/** All facts that are derived from the object `oid`. */
export interface FactRow {
  oid: string
  /** One value for each of `FactsOptions.kinds`, in their order; null if it is not stored. JSON without line feeds. */
  values: readonly (string | null)[]
}

export interface FactsOptions {
  /** Path of the SQLite file. Nothing is lost if it is deleted while the service is stopped. */
  file: string
  /** The kinds of facts per object. The first kinds are read without touching the later ones. */
  kinds: readonly string[]
  /** The version of the code that derives the facts. Rows of another version are dropped. */
  version: number
  /** File size in bytes above which the oldest rows are dropped. */
  maxBytes: number
  /** Called with a sentence for the operator if the index is damaged or cannot be used. */
  notice(message: string): void
}
