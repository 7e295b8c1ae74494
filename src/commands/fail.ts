/** Ends the process after an error: with advice, if the operator can fix it, and otherwise with a stack trace. */
import { writeSync } from 'node:fs'
import { ConfigError } from '../config.js'
import { FolderLocked } from '../disk/folder-lock.js'
import { isRefusedWrite } from '../disk/folder-watch.js'
import { UnusableKey } from '../git/index.js'
import { asError, errorCode } from '../kernel/thrown.js'
import { EXIT } from '../start/operator/declaration.js'
import { WrongKey } from '../start/keys.js'
import { CannotListen } from '../start/listen.js'
import { MigrationUnfinished } from '../start/migration.js'
import { DatabaseAway, StoreDamaged, StoreTooNew, StoreTooOld } from '../store/index.js'
import { OperatorError } from './maintenance.js'

/**
 * Returns advice for the operator: the missing permission, or the reason why the database is unreachable, without the
 * password.
 */
function adviceOn(error: unknown): string {
  if (/^(EACCES|EPERM)$/.test(errorCode(error) ?? ''))
    return '. Give the user that runs the server access to the folder and everything in it'
  if (!(error instanceof DatabaseAway) || !(error.cause instanceof Error)) return ''
  return ` BINDERY_DATABASE_URL: ${error.cause.message || errorCode(error.cause)}`
}

/**
 * Prints the error and ends the process with the exit code for commands that could not be executed.
 * @param json whether a program reads standard output: it gets one JSON value in any case
 */
export function fail(error: unknown, { json = false } = {}): never {
  // The operator can fix these errors. The message contains the remedy, and a stack trace would only hide it.
  const known =
    error instanceof ConfigError ||
    error instanceof OperatorError ||
    error instanceof FolderLocked ||
    error instanceof StoreDamaged ||
    error instanceof StoreTooNew ||
    error instanceof StoreTooOld ||
    error instanceof MigrationUnfinished ||
    error instanceof DatabaseAway ||
    error instanceof UnusableKey ||
    error instanceof WrongKey ||
    isRefusedWrite(error) ||
    error instanceof CannotListen
  const message = asError(error).message + adviceOn(error)
  if (json) writeSync(process.stdout.fd, `${JSON.stringify({ error: { message } })}\n`)
  if (!json || !known) console.error(known ? message : error)
  process.exit(EXIT.failed)
}
