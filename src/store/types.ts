/** The interfaces of the store: reader, transaction, migrations, options, and its file system. */
import type { Lock } from '../disk/folder-lock.js'
import type { Table, Document, Draft, Journal, JournalReader } from '../kernel/documents.js'
import type { PageReader } from '../kernel/paging.js'
import type { LogFull, StoreDamaged } from './errors.js'
import type { Recording } from '../kernel/recording.js'

export { type Table, table, type Document, type Draft, type Journal, type Order } from '../kernel/documents.js'

/** Reads inside or outside a transaction. Documents are frozen. */
export interface Reader extends PageReader, JournalReader {
  /** Returns the document, or null. */
  get<T extends object>(of: Table<T, string>, id: string): Promise<Document<T> | null>
  /** Returns all documents with `key` in an index, in any order. */
  find<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<Document<T>[]>
  /** Returns the number of documents that `find` would return. */
  count<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<number>
  /** Returns all documents of the table. */
  all<T extends object>(of: Table<T, string>): Promise<Document<T>[]>
}

export interface Transaction extends Reader {
  /** Adds a document with version 1. Throws `DuplicateKey` if its ID or a unique key is taken. */
  insert<T extends object>(of: Table<T, string>, draft: Draft<T>): Promise<Document<T>>
  /**
   * Replaces a document, whose `version` must be the stored one, and returns it with the next version. Throws
   * `StaleDocument`, `NoDocument`.
   */
  replace<T extends object>(of: Table<T, string>, document: Document<T>): Promise<Document<T>>
  /** Removes a document, and returns whether it existed. */
  remove<T extends object>(of: Table<T, string>, id: string): Promise<boolean>
  /**
   * Adds a record at the end of its group. `make` gets its position: 1, 2, 3 … without gaps, in commit order.
   * @param least the lowest allowed position, for a group that continues an earlier list
   */
  append<T extends object>(to: Journal<T>, group: string, make: (position: number) => T, least?: number): Promise<T>
}

export interface Store extends Reader {
  /**
   * Runs `work` while no other transaction runs, and commits its changes: all or none, and durably before the promise
   * resolves. Other implementations may run `work` more than once, so it must have no effects other than through `tx`.
   */
  transact<R>(work: (tx: Transaction) => Promise<R>): Promise<R>
  insert: Transaction['insert']
  replace: Transaction['replace']
  remove: Transaction['remove']
  /** Returns the groups of a journal that have, or had, records. */
  groups(of: Journal<never>): Promise<string[]>
  /**
   * Drops the records of a group before a position, and returns their number. They are deleted from the disk later. A
   * crash before that restores them.
   */
  drop(of: Journal<never>, group: string, before: number): Promise<number>
  /**
   * Returns the documents of a table that are not in a damaged file, for work on each of them that draws no conclusion
   * from an absent one.
   */
  intact<T extends object>(of: Table<T, string>): Promise<Document<T>[]>
  /**
   * The damaged files that the start found. Reads and writes that need such a file throw the same error. Absent for a
   * database, which checks its own files.
   */
  readonly damaged?: readonly StoreDamaged[]
  /**
   * Reads the files of journals, which a start does not read, and returns a line for each that is missing or damaged,
   * after those that the start repaired, and those of `damaged`. Absent for a database.
   */
  damages?(): Promise<string[]>
  /**
   * Returns the size of the log in bytes. The next start reads all of it. It is only shortened while no file is damaged.
   * Absent for a database.
   */
  logBytes?(): Promise<number>
  /**
   * The error that every change gets while the log has its maximum size and a damaged file keeps it from being
   * shortened; otherwise null. Absent for a database.
   */
  readonly full?: LogFull | null
  /** Returns the same store with recorded reads. */
  recorded(recording: Recording): Store
  /** Writes checkpoints and releases the lock. */
  close(): Promise<void>
}

/** A store in a database that may be temporarily unavailable. */
export interface SharedStore extends Store {
  /** Throws `DatabaseAway` if the database cannot be reached now, or accepts no changes. */
  ask(): Promise<void>
  /** Merges the rows that changes have left, so that reads do not become slower. Throws `DatabaseAway`. */
  upkeep(): Promise<void>
  /** Runs work after the commit of the current transaction, or at once if there is none. */
  afterwards(work: () => void): void
}

/** Migrates the stored documents from one release to the next. Runs once, at start, before any index is built. */
export interface Migration {
  /** The number: 1, 2, 3 … without gaps. It never changes after a release. */
  readonly version: number
  /** A short description for the log. */
  readonly name: string
  /** Changes documents. All changes are committed as one transaction. */
  readonly run: (view: MigrationView) => void | Promise<void>
}

/** The stored documents by table name, without the types and indexes of the current code. */
export interface MigrationView {
  /** Returns the names of the tables with documents. */
  tables(): string[]
  /** Returns all documents of a table, frozen. */
  documents(table: string): Document<Record<string, unknown>>[]
  /** Adds or replaces a document. An existing one gets the next version. */
  put(table: string, draft: Draft<Record<string, unknown>>): void
  remove(table: string, id: string): void
}

/** Events for the operator's log. */
export type StoreEvent =
  | { event: 'opened'; documents: number; checkpoints: number; replayed: number; milliseconds: number }
  | { event: 'tail-cut'; file: string; offset: number; bytes: number }
  /** One flipped bit was corrected with the checksum. The next checkpoint replaces the file. */
  | { event: 'bit-corrected'; file: string; offset: number }
  /** The documents of the file are out of service. */
  | { event: 'damaged'; error: Error }
  /**
   * A damaged file was replaced by its readable documents. `kept` is the damaged one; null if it was missing. `records`
   * is set for a file of a journal: the number of records that it had, of which `documents` were readable.
   */
  | { event: 'repaired'; file: string; documents: number; records?: number; kept: string | null; what: string }
  | { event: 'migrated'; version: number; name: string }
  | { event: 'checkpoint'; files: number; seq: number; milliseconds: number }
  | { event: 'checkpoint-failed'; error: unknown }
  | { event: 'append-failed'; error: unknown; transactions: number }

export interface StoreOptions {
  /** The folder of the store. Created if it does not exist. */
  dir: string
  /** The tables in use: their indexes are built, and unique keys checked, at start instead of at first use. */
  tables?: readonly Table<never, string>[]
  migrations?: readonly Migration[]
  /** The log size in bytes at which checkpoints are written and a new log is started. Default: 8 MiB. */
  checkpointAfterBytes?: number
  /**
   * The log size in bytes at which changes are rejected while a damaged file prevents checkpoints. Default: 256 MiB.
   */
  maxKeptLogBytes?: number
  log?: (event: StoreEvent) => void
  /**
   * Whether damaged files of tables and journals are replaced by their readable documents and records. The damaged ones
   * are kept in the folder `damaged`. Lost documents stay lost, so only an operator decides this.
   */
  repair?: boolean
  /** The file system. Tests pass one that loses everything that was not synced. */
  fs?: FileSystem
}

/** A file that is open for appending. */
export interface OpenFile {
  /** Appends all of `data`, or throws (part of it may have been written). */
  append(data: Uint8Array): Promise<void>
  /** Truncates the file to `length` bytes. */
  truncate(length: number): Promise<void>
  /** Makes data and length durable. */
  datasync(): Promise<void>
  close(): Promise<void>
}

/** The file operations that the store needs. Errors have Node's `code` (`ENOENT`, `EEXIST` …). */
export interface FileSystem {
  /** Opens a file: `append` opens an existing one; `create` creates or truncates it. */
  open(path: string, mode: 'append' | 'create'): Promise<OpenFile>
  /** Reads a file at start, when blocking is allowed. */
  readFile(path: string): Promise<Buffer>
  /** Reads a file without blocking. */
  readLater(path: string): Promise<Buffer>
  /** Returns a file's length in bytes. */
  size(path: string): Promise<number>
  readdir(path: string): Promise<string[]>
  /** Creates one folder, whose parent must exist. */
  mkdir(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  /** Makes the entries of a folder (creations, renames, removals) durable. */
  syncDir(path: string): Promise<void>
  /**
   * Takes a lock that ends with the process, for the folder `dir`, on the file `path` in it. Throws `StoreLocked` if it
   * is taken.
   */
  lock(dir: string, path: string): Lock
}
