/** The command that moves an installation from folders into a database, and back. docs/administration.md says when and how. */
import type { Config } from '../../config.js'
import { migrateToDatabase } from './to-database.js'
import { migrateToFolder } from './to-folder.js'
import type { Tell } from './installation.js'

/**
 * Moves the installation of the settings: to a database if `to` is a PostgreSQL URL, else out of the database of the settings into a folder. The source is
 * never changed. Throws `OperatorError` with what to do.
 */
export async function migrate(config: Config, to: string, tell: Tell): Promise<void> {
  if (!/^postgres(ql)?:\/\//.test(to)) return migrateToFolder(config, to, tell)
  await migrateToDatabase(config, to, tell)
}
