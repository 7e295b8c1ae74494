import { InvalidPath, ObjectTooLarge, PathCollision, RemoteError } from '../../git/index.js'
import { ServiceError } from '../../kernel/errors.js'

/** A run that ended as it should, without success: the message says what and what to do. */
export class SyncFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SyncFailure'
  }
}

/**
 * What is told of an error that ended a run; null where it was not foreseen.
 * @param lostCredential the run began before a restart with a credential that is gone since
 */
export function explain(error: unknown, lostCredential: boolean): string | null {
  if (error instanceof SyncFailure || error instanceof ServiceError) return error.message
  if (error instanceof InvalidPath || error instanceof PathCollision) return `${error.message}. Rename it, then start again.`
  if (error instanceof ObjectTooLarge) return `${error.message}. Make the file smaller, or ask an administrator for a higher limit.`
  if (!(error instanceof RemoteError)) return null
  if (lostCredential && (error.kind === 'unauthorized' || error.kind === 'not-a-repository')) {
    return 'The server was restarted during the run, and the credential of its URL, which is kept in memory alone, is gone. Start the run again with the whole URL.'
  }
  return error.message
}
