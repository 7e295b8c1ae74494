/** Prevents a server from starting on data of an unfinished migration. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Mark, markOf } from '../shared-files/index.js'
import type { Database } from '../postgres/index.js'

/** The migration is unfinished. The message contains the remedy. */
export class MigrationUnfinished extends Error {
  constructor(where: string) {
    super(
      `The migration into ${where} is unfinished. Run the same \`bindery migrate\` again: it continues where it stopped. Until then, no server starts here.`,
    )
    this.name = 'MigrationUnfinished'
  }
}

/** Returns the file in a data folder that records a migration into it. */
export const markFile = (dataDir: string): string => join(resolve(dataDir), 'migration.json')

/** Returns the migration into a data folder; null if there was none. */
export function folderMark(dataDir: string): Mark | null {
  const file = markFile(dataDir)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

/** Throws `MigrationUnfinished` if a migration into the folder, or into the database if there is one, is unfinished. */
export async function refuseUnfinished(dataDir: string, database: Database | null): Promise<void> {
  const mark = database === null ? folderMark(dataDir) : await markOf(database)
  if (mark?.state === 'running')
    throw new MigrationUnfinished(database === null ? resolve(dataDir) : 'the database of BINDERY_DATABASE_URL')
}
