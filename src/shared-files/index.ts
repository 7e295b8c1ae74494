// The entry point of the data folder's files in the database: specifications, Git LFS objects, PDFs and bundles, the
// fingerprints of keys, and the state of a migration. See rows.ts and copies.ts.
import { type Database, migrate } from '../postgres/index.js'
import { ROOM, steps } from './schema.js'

export { claimFingerprint, fingerprintIn, fingerprintOf, forgetFingerprint, type KeyName } from './keys.js'
export { openSharedLfsFiles } from './lfs-files.js'
export { openSharedShelf } from './shared-shelf.js'
export { openSharedSpecFiles } from './spec-files.js'
export { beginMigration, endMigration, type Mark, markOf } from './mark.js'
export { FileRows, type StoredFile } from './rows.js'

/** Creates or migrates the tables of files. */
export const prepareFiles = (database: Database): Promise<number> => migrate(database, ROOM, steps)
