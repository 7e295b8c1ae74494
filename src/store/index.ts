// The door of the document store. How it keeps its promises is told in store.ts (commit), recovery.ts (start) and checkpointer.ts.
export { FolderLocked as StoreLocked } from '../disk/folder-lock.js'
export { DuplicateKey, NoDocument, StaleDocument, StoreClosed, StoreDamaged, StoreTooNew } from './errors.js'
export { openStore } from './open.js'
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
  Store,
  StoreEvent,
  StoreOptions,
  Transaction,
} from './types.js'
export { journal } from '../kernel/documents.js'
export { table } from './types.js'
