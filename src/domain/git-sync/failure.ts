// Errors that end a run, and the messages that users read about them.
import {
  FolderTooLarge,
  InvalidPath,
  ObjectTooLarge,
  PathCollision,
  RemoteError,
  SigningFailed,
} from '../../git/index.js'
import { ServiceError } from '../../kernel/errors.js'

/** Ends a run that cannot succeed. The message tells the user what is wrong and what to do. */
export class SyncFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SyncFailure'
  }
}

/** A conflict between the host's branch and the change request that is exported there. Neither side is overwritten. */
export class BranchConflict extends SyncFailure {}

/** Ends a run that a user canceled, or whose connection was paused. */
export class SyncCancelled extends SyncFailure {
  constructor() {
    super('The run was canceled.')
    this.name = 'SyncCancelled'
  }
}

/**
 * Returns the message for users about an error that ended a run; null if the error is unexpected.
 * @param lostCredential whether the run started before a restart, with a credential that the restart lost
 */
export function explain(error: unknown, lostCredential: boolean): string | null {
  if (error instanceof SyncFailure || error instanceof ServiceError) return error.message
  if (error instanceof InvalidPath || error instanceof PathCollision)
    return `${error.message}. Rename it, then start again.`
  if (error instanceof FolderTooLarge) return `${error.message}. Divide it into smaller folders, then start again.`
  if (error instanceof SigningFailed)
    return `The commit could not be signed: ${error.message}. Ask a server administrator to check the signing key, then start again.`
  if (error instanceof ObjectTooLarge)
    return `${error.message}. Make the file smaller, or ask an administrator for a higher limit.`
  if (!(error instanceof RemoteError)) return null
  if (lostCredential && (error.kind === 'unauthorized' || error.kind === 'not-a-repository')) {
    return 'The server was restarted during the run. The credential in the URL was lost because it is kept only in memory. Start the run again with the complete URL.'
  }
  return error.message
}

/** Returns the cause of an error that ended a run as one word. A notice is sent once per cause. */
export function causeOf(error: unknown): string {
  if (error instanceof RemoteError) return error.kind
  if (error instanceof BranchConflict) return 'conflict'
  if (error instanceof SyncFailure && error.cause instanceof RemoteError) return error.cause.kind
  if (error instanceof ServiceError) return error.code
  return error instanceof SyncFailure ? 'refused' : 'content'
}
