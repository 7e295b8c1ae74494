// The door of the files of the data folder in the database: specifications, objects of Git LFS, PDFs, the fingerprints of keys, and whether a migration is complete. See rows.ts and copies.ts.
import { type Database, migrate } from '../postgres/index.js'
import { ROOM, steps } from './schema.js'

export { claimFingerprint, fingerprintIn, fingerprintOf, forgetFingerprint, type KeyName } from './keys.js'
export { openSharedLfsFiles } from './lfs-files.js'
export { openSharedShelf } from './pdf-shelf.js'
export { openSharedSpecFiles } from './spec-files.js'
export { beginMigration, endMigration, type Mark, markOf } from './mark.js'
export { FileRows, type Stored } from './rows.js'

/** Makes the tables of files, or brings them to the form of this release. */
export const prepareFiles = (database: Database): Promise<number> => migrate(database, ROOM, steps)
