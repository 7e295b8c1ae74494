/** What can go wrong with the database: it is away, a transaction has to be run again, or a constraint refuses a row. */
import { DatabaseError } from 'pg'

/** The database cannot be reached or refuses to work just now. Nothing is known about a commit that was under way. */
export class DatabaseAway extends Error {
  constructor(cause: unknown) {
    super('the database cannot be reached', { cause })
    this.name = 'DatabaseAway'
  }
}

/** Classes and codes of PostgreSQL's errors that say: not now (its manual, appendix A): connections, resources, shutting down. */
const AWAY = /^(08|53|57P|58)/
const AGAIN = new Set(['40001', '40P01'])
/** What Node and pg say if a connection cannot be made or breaks. */
const BROKEN =
  /^(ECONN|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)|Connection terminated|connection timeout|timeout exceeded when trying to connect|Query read timeout|not queryable/

/** Whether an error says that the database is away, and not that the statement is wrong. */
export function isAway(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true
  if (error instanceof DatabaseError) return AWAY.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  return BROKEN.test((error as NodeJS.ErrnoException).code ?? '') || BROKEN.test(error.message)
}

/** Whether a transaction met another one and may succeed if it is run again: serialization failures and deadlocks. */
export const mayRunAgain = (error: unknown): boolean => error instanceof DatabaseError && AGAIN.has(error.code ?? '')

/** The name of the constraint that refused a row as a duplicate, or null for every other error. */
export const constraintOf = (error: unknown): string | null => (error instanceof DatabaseError && error.code === '23505' ? (error.constraint ?? '') : null)
