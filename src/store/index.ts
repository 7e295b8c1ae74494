// The entry point of the document store. See store.ts for transactions, recovery.ts for the start, checkpointer.ts for
// the files.
export { FolderLocked as StoreLocked } from '../disk/folder-lock.js'
export { DatabaseAway } from '../postgres/index.js'
export {
  DuplicateKey,
  LogFull,
  NoDocument,
  orIfDamaged,
  StaleDocument,
  StoreClosed,
  StoreDamaged,
  StoreTooNew,
} from './errors.js'
export { isSealed } from './checkpoint-file.js'
export { MAX_KEPT_LOG_BYTES, openStore } from './open.js'
export { openPostgresStore, type PostgresStoreOptions } from './postgres/open.js'
export { differencesOf, digestOf, type StoreDigest } from './transfer/digest.js'
export { openEmbeddedSource, StoreTooOld } from './transfer/embedded-source.js'
export { writeEmbeddedStore } from './transfer/embedded-target.js'
export { openPostgresSource } from './transfer/postgres-source.js'
export { prepareDocuments, writePostgresStore } from './transfer/postgres-target.js'
export { type AddedRecord, rewritePostgresStore, rewrittenSource, type StoreChange } from './transfer/rewritten.js'
export type { StoreSource } from './transfer/types.js'
export { CONNECTIONS } from './postgres/store.js'
export type {
  Table,
  Document,
  Draft,
  FileSystem,
  Journal,
  Migration,
  MigrationView,
  OpenFile,
  Reader,
  SharedStore,
  Store,
  StoreEvent,
  StoreOptions,
  Transaction,
} from './types.js'
export { journal } from '../kernel/documents.js'
export { noteOf } from './recorded-store.js'
export { table } from './types.js'
