import type { Table, Document, Draft, Journal, JournalReader } from '../kernel/documents.js'
import type { PageReader } from '../kernel/paging.js'

export { type Table, table, type Document, type Draft, type Journal, type Order } from '../kernel/documents.js'

/** Reads, the same inside and outside a transaction. Documents come frozen. */
export interface Reader extends PageReader, JournalReader {
  /** The document, or null. */
  get<T extends object>(of: Table<T, string>, id: string): Promise<Document<T> | null>
  /** All documents under `key` of an index, in no order promised. */
  find<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<Document<T>[]>
  /** How many `find` would answer, without building the list. */
  count<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<number>
  /** All documents of the table. */
  all<T extends object>(of: Table<T, string>): Promise<Document<T>[]>
}

export interface Transaction extends Reader {
  /** Adds a document, version 1. Throws `DuplicateKey` where the ID or a unique key is taken. */
  insert<T extends object>(of: Table<T, string>, draft: Draft<T>): Promise<Document<T>>
  /** Replaces a document whose `version` must be the stored one; answers it with version + 1. Throws `StaleDocument`, `NoDocument`. */
  replace<T extends object>(of: Table<T, string>, document: Document<T>): Promise<Document<T>>
  /** Removes a document; answers whether it was there. */
  remove<T extends object>(of: Table<T, string>, id: string): Promise<boolean>
  /**
   * Adds a record behind those of its group. `make` gets its position: 1, 2, 3 … without gaps, in the order of commitment.
   * @param least a position that it has at least: for a group that goes on where something else ended
   */
  append<T extends object>(to: Journal<T>, group: string, make: (position: number) => T, least?: number): Promise<T>
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
  /** Names of the groups of a journal that have, or had, records. */
  groups(of: Journal<never>): Promise<string[]>
  /** Forgets the records of a group before a position; answers how many. They leave the disk later; after a crash they may be there once more. */
  drop(of: Journal<never>, group: string, before: number): Promise<number>
  /** Writes checkpoints, releases the lock. */
  close(): Promise<void>
}

/** A step from one shape of the documents to the next; runs once, at start, before any index is built. */
export interface Migration {
  /** 1, 2, 3 … without gaps; never renumbered once released. */
  readonly version: number
  /** What it does, in a few words; for the log. */
  readonly name: string
  /** Changes documents. What it wrote is committed as one transaction, or not at all. */
  readonly run: (view: MigrationView) => void | Promise<void>
}

/** Documents as they lie in the store: by table name, without the types and indexes of the present code. */
export interface MigrationView {
  /** Names of the tables that hold documents. */
  tables(): string[]
  /** All documents of a table, frozen. */
  documents(table: string): Document<Record<string, unknown>>[]
  /** Adds or overwrites a document; a document that existed gets its version + 1. */
  put(table: string, draft: Draft<Record<string, unknown>>): void
  remove(table: string, id: string): void
}

/** What the store tells its operator. */
export type StoreEvent =
  | { event: 'opened'; documents: number; checkpoints: number; replayed: number; milliseconds: number }
  | { event: 'tail-cut'; file: string; offset: number; bytes: number }
  | { event: 'migrated'; version: number; name: string }
  | { event: 'checkpoint'; files: number; seq: number; milliseconds: number }
  | { event: 'checkpoint-failed'; error: unknown }
  | { event: 'append-failed'; error: unknown; transactions: number }

export interface StoreOptions {
  /** The folder of the store; made where it is missing. */
  dir: string
  /** The tables in use: their indexes are built (and unique keys checked) at start instead of at first use. */
  tables?: readonly Table<never, string>[]
  /** The journals in use: documents of earlier releases that became their records are moved at start. */
  journals?: readonly Journal<never>[]
  migrations?: readonly Migration[]
  /** Log size, in bytes, from which checkpoints are written and the log starts afresh. Default: 4 MiB. */
  checkpointAfterBytes?: number
  log?: (event: StoreEvent) => void
  /** Where the bytes go; tests hand in one that loses what was not synced. */
  fs?: FileSystem
}

/** A file open for writing at its end. */
export interface OpenFile {
  /** Writes all of `data` at the end, or throws (part of it may have been written). */
  append(data: Uint8Array): Promise<void>
  /** Cuts the file to `length` bytes. */
  truncate(length: number): Promise<void>
  /** Brings data and length to the disk. */
  datasync(): Promise<void>
  close(): Promise<void>
}

/** The few file operations the store uses. Failures carry Node's `code` (`ENOENT`, `EEXIST` …). */
export interface FileSystem {
  /** `append` opens an existing file; `create` makes it, or empties it. */
  open(path: string, mode: 'append' | 'create'): Promise<OpenFile>
  /** Reads a file at a start, when nobody waits: it may block. */
  readFile(path: string): Promise<Buffer>
  /** Reads a file while others work. */
  readLater(path: string): Promise<Buffer>
  /** A file's length, in bytes. */
  size(path: string): Promise<number>
  readdir(path: string): Promise<string[]>
  /** Makes one folder, whose parent must exist. */
  mkdir(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  /** Brings a folder's entries (creations, renames, removals) to the disk. */
  syncDir(path: string): Promise<void>
}
