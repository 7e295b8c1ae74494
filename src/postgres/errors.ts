/** The errors of the database: it is unreachable, a transaction must be retried, or a constraint rejects a row. */
import { errorCode } from '../kernel/thrown.js'
import type { DatabaseError } from 'pg'
import { ServiceError } from '../kernel/errors.js'

/**
 * The database cannot be reached or rejects work at the moment. Requests get a 503. The outcome of a commit in progress
 * is unknown. The original error is the cause and appears only in the log.
 */
export class DatabaseAway extends ServiceError {
  constructor(cause: unknown) {
    const what = isReadOnly(cause) ? 'accepts no changes at the moment' : 'cannot be reached'
    super('unavailable', `The database of the service ${what}. Try again in a few seconds.`, { cause })
    this.name = 'DatabaseAway'
  }
}

/**
 * PostgreSQL error classes and codes that mean "not now" (appendix A of its manual): connections, resources, shutdown,
 * time limits. After a failover also 25006 (read-only) and 0A000, with which a standby rejects serializable
 * transactions and unlogged tables.
 */
const AWAY = /^(08|53|57P|58)|^(57014|25P03|25006|0A000)$/
const READ_ONLY = /^(25006|0A000)$/
const AGAIN = new Set(['40001', '40P01'])
/** Error codes and messages of Node and pg for connections that fail or break. */
const BROKEN =
  /^(ECONN|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)|Connection terminated|connection timeout|timeout expired|timeout exceeded when trying to connect|Query read timeout|not queryable/

/** Whether an attempt to connect timed out. A second attempt may succeed at once. */
export const isConnectTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout expired'

/** Whether a connection or a statement had no response in time. */
export const isTimeout = (error: unknown): boolean =>
  isConnectTimeout(error) || (error instanceof Error && error.message === 'Query read timeout')

/**
 * Whether PostgreSQL sent the error. Checks fields that only its errors have, so that the library need not be loaded.
 */
export const isFromDatabase = (error: unknown): error is DatabaseError =>
  error instanceof Error && 'severity' in error && 'routine' in error

/** Whether an error means that the database is unreachable, and not that the statement is wrong. */
export function isAway(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true
  if (isFromDatabase(error)) return AWAY.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  return BROKEN.test(errorCode(error) ?? '') || BROKEN.test(error.message)
}

/** Whether the database accepts no changes: it is a standby, or its operator or provider made it read-only. */
export const isReadOnly = (error: unknown): boolean => isFromDatabase(error) && READ_ONLY.test(error.code ?? '')

/**
 * Whether a transaction conflicted with another one and may succeed when it runs again: serialization failures and
 * deadlocks.
 */
export const mayRunAgain = (error: unknown): boolean => isFromDatabase(error) && AGAIN.has(error.code ?? '')

/** Returns the name of the constraint that rejected a duplicate row, or null for any other error. */
export const constraintOf = (error: unknown): string | null =>
  isFromDatabase(error) && error.code === '23505' ? (error.constraint ?? '') : null
