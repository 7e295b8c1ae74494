/** The command that moves an installation from folders into a database, and back. See docs/administration.md. */
import { join, resolve } from 'node:path'
import type { Config } from '../../config.js'
import { OperatorError } from '../maintenance.js'
import { migrateToDatabase } from './to-database.js'
import { migrateToFolder } from './to-folder.js'
import type { Report } from './installation.js'

const POSTGRES = /^postgres(ql)?:\/\//

/**
 * Moves the configured installation. If `to` is a PostgreSQL URL, moves it to that database; otherwise, from the
 * configured database to the folder `to`. The source is
 * never changed. Throws `OperatorError` with the remedy.
 */
export async function migrate(config: Config, to: string, tell: Report): Promise<void> {
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(to) ?? []
  // The URL itself may contain a password.
  if (scheme !== undefined && !POSTGRES.test(to))
    throw new OperatorError(
      `--to starts with ${scheme}, which is not supported. Use postgresql://user@host/database, or a folder.`,
    )
  if (!POSTGRES.test(to)) return migrateToFolder(config, to, tell)
  await migrateToDatabase(config, to, tell)
}

/** Returns the data folder of the target, from which its server usually starts. */
export const dataDirOfTarget = ({ dataDir }: Pick<Config, 'dataDir'>, to: string): string =>
  POSTGRES.test(to) ? dataDir : join(resolve(to), 'data')
