/** The interfaces of the store: reader, transaction, migrations, options, and the file system that it runs on. */
import type { Lock } from '../disk/folder-lock.js'
import type { Table, Document, Draft, Journal, JournalReader } from '../kernel/documents.js'
import type { PageReader } from '../kernel/paging.js'
import type { Recording } from '../kernel/recording.js'

export { type Table, table, type Document, type Draft, type Journal, type Order } from '../kernel/documents.js'

/** Reads, inside or outside of a transaction. Documents are frozen. */
export interface Reader extends PageReader, JournalReader {
  /** The document, or null. */
  get<T extends object>(of: Table<T, string>, id: string): Promise<Document<T> | null>
  /** All documents with `key` in an index, in any order. */
  find<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<Document<T>[]>
  /** How many documents `find` would return. */
  count<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<number>
  /** All documents of the table. */
  all<T extends object>(of: Table<T, string>): Promise<Document<T>[]>
}

export interface Transaction extends Reader {
  /** Adds a document, with version 1. Throws `DuplicateKey` if its ID or a unique key is taken. */
  insert<T extends object>(of: Table<T, string>, draft: Draft<T>): Promise<Document<T>>
  /** Replaces a document, whose `version` must be the stored one, and returns it with the next version. Throws `StaleDocument`, `NoDocument`. */
  replace<T extends object>(of: Table<T, string>, document: Document<T>): Promise<Document<T>>
  /** Removes a document, and returns whether it existed. */
  remove<T extends object>(of: Table<T, string>, id: string): Promise<boolean>
  /**
   * Adds a record at the end of its group. `make` gets its position: 1, 2, 3 … without gaps, in the order of commitment.
   * @param least the lowest position it may get: for a group that continues an earlier list
   */
  append<T extends object>(to: Journal<T>, group: string, make: (position: number) => T, least?: number): Promise<T>
}

export interface Store extends Reader {
  /**
   * Runs `work` while no other transaction runs, and commits its changes: all or none, and durably before the promise resolves.
   * Another implementation may run `work` more than once, so it must have no effects other than through `tx`.
   */
  transact<R>(work: (tx: Transaction) => Promise<R>): Promise<R>
  insert: Transaction['insert']
  replace: Transaction['replace']
  remove: Transaction['remove']
  /** The groups of a journal that have, or had, records. */
  groups(of: Journal<never>): Promise<string[]>
  /** Drops the records of a group before a position, and returns how many. They are deleted from the disk later; a crash before that brings them back. */
  drop(of: Journal<never>, group: string, before: number): Promise<number>
  /** Reads the files of journals, which a start does not, and returns a line for each that is missing or damaged. A database checks its own. */
  damages?(): Promise<string[]>
  /** The same store; what is read from it is noted. */
  recorded(recording: Recording): Store
  /** Writes checkpoints and releases the lock. */
  close(): Promise<void>
}

/** A store in a database that may be away for a while. */
export interface SharedStore extends Store {
  /** Throws `DatabaseAway` if the database cannot be asked now, or accepts no changes. */
  ask(): Promise<void>
  /** Joins what changes have left in pieces, so that it is read at the same cost. Throws `DatabaseAway`. */
  upkeep(): Promise<void>
  /** Does something once the transaction is committed in which this is called; at once, if there is none. */
  afterwards(work: () => void): void
}

/** Changes the stored documents from the form of one release to that of the next. Runs once, at start, before any index is built. */
export interface Migration {
  /** 1, 2, 3 … without gaps; never changed after a release. */
  readonly version: number
  /** A short description for the log. */
  readonly name: string
  /** Changes documents. All changes are committed as one transaction. */
  readonly run: (view: MigrationView) => void | Promise<void>
}

/** The stored documents by table name, without the types and indexes of the current code. */
export interface MigrationView {
  /** Names of the tables that have documents. */
  tables(): string[]
  /** All documents of a table, frozen. */
  documents(table: string): Document<Record<string, unknown>>[]
  /** Adds or replaces a document; one that existed gets the next version. */
  put(table: string, draft: Draft<Record<string, unknown>>): void
  remove(table: string, id: string): void
}

/** Events for the operator's log. */
export type StoreEvent =
  | { event: 'opened'; documents: number; checkpoints: number; replayed: number; milliseconds: number }
  | { event: 'tail-cut'; file: string; offset: number; bytes: number }
  | { event: 'migrated'; version: number; name: string }
  | { event: 'checkpoint'; files: number; seq: number; milliseconds: number }
  | { event: 'checkpoint-failed'; error: unknown }
  | { event: 'append-failed'; error: unknown; transactions: number }

export interface StoreOptions {
  /** The folder of the store; created if it does not exist. */
  dir: string
  /** The tables in use: their indexes are built, and unique keys checked, at start instead of at first use. */
  tables?: readonly Table<never, string>[]
  migrations?: readonly Migration[]
  /** The log size, in bytes, at which checkpoints are written and a new log is begun. Default: 8 MiB. */
  checkpointAfterBytes?: number
  log?: (event: StoreEvent) => void
  /** The file system; tests pass one that loses everything that was not synced. */
  fs?: FileSystem
}

/** A file that is open for appending. */
export interface OpenFile {
  /** Writes all of `data` at the end, or throws (part of it may have been written). */
  append(data: Uint8Array): Promise<void>
  /** Cuts the file to `length` bytes. */
  truncate(length: number): Promise<void>
  /** Makes data and length durable. */
  datasync(): Promise<void>
  close(): Promise<void>
}

/** The file operations that the store needs. Errors have Node's `code` (`ENOENT`, `EEXIST` …). */
export interface FileSystem {
  /** `append` opens an existing file; `create` creates or truncates it. */
  open(path: string, mode: 'append' | 'create'): Promise<OpenFile>
  /** Reads a file at start, when it may block. */
  readFile(path: string): Promise<Buffer>
  /** Reads a file without blocking. */
  readLater(path: string): Promise<Buffer>
  /** A file's length, in bytes. */
  size(path: string): Promise<number>
  readdir(path: string): Promise<string[]>
  /** Creates one folder, whose parent must exist. */
  mkdir(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  /** Makes the entries of a folder (creations, renames, removals) durable. */
  syncDir(path: string): Promise<void>
  /** Takes a lock that ends with the process, for the folder `dir`, on the file `path` in it. Throws `StoreLocked` if it is taken. */
  lock(dir: string, path: string): Lock
}
