// The door of the document store. See store.ts for transactions, recovery.ts for the start, checkpointer.ts for the files.
export { FolderLocked as StoreLocked } from '../disk/folder-lock.js'
export { DatabaseAway } from '../postgres/index.js'
export { DuplicateKey, NoDocument, StaleDocument, StoreClosed, StoreDamaged, StoreTooNew } from './errors.js'
export { openStore } from './open.js'
export { openPostgresStore, type PostgresStoreOptions } from './postgres/open.js'
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
export { table } from './types.js'
