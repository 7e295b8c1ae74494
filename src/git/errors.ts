/** The base of all errors that `git/` throws. Callers distinguish them by class, never by message. */
export class GitError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}
/** A ref did not have the value that its move expected. */
export class StaleRef extends GitError {
  constructor(
    readonly ref: string,
    readonly expected: string | null,
    readonly actual: string | null,
    options?: ErrorOptions,
  ) {
    super(`${ref} is ${actual ?? 'absent'}, not ${expected ?? 'absent'}`, options)
  }
}
/** Lock files of another Git process blocked a move. `locks` are their paths from the repository's root. */
export class RefLocked extends GitError {
  constructor(
    readonly locks: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`${locks.join(', ')} is held or was left behind by another process`, options)
  }
}
/** The repository does not have an object. */
export class MissingObject extends GitError {}
/** The repository has lost an object that a new commit or a ref needs: it was pruned or is damaged. */
export class LostObject extends MissingObject {
  constructor(
    readonly oid: string,
    repository: string,
  ) {
    super(`object ${oid} is no longer in ${repository}: it was pruned or is damaged`)
  }
}
/** The file of an object is damaged. */
export class DamagedObject extends GitError {}
export class ObjectTooLarge extends GitError {}
/** A path that must not be in a tree. */
export class InvalidPath extends GitError {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${JSON.stringify(path)}: ${reason}`)
  }
}
/** Two paths of one tree that differ only by case. */
export class PathCollision extends GitError {
  constructor(
    readonly path: string,
    readonly existing: string,
  ) {
    super(`${JSON.stringify(path)} differs from ${JSON.stringify(existing)} only by case`)
  }
}
/** A change would add entries to a folder beyond the maximum number. */
export class FolderTooLarge extends GitError {
  constructor(folder: string, max: number) {
    super(
      `${folder === '' ? 'The top folder' : `The folder ${JSON.stringify(folder)}`} would have more than ${max} files and folders`,
    )
  }
}
/** A commit could not be signed with the operator's key. Nothing was written. */
export class SigningFailed extends GitError {}
/** The operator's key cannot sign commits. The message contains the reason. */
export class UnusableKey extends GitError {}
export class RepositoryExists extends GitError {}
export class NoRepository extends GitError {}
export class UnsupportedRepository extends GitError {}
/** A ref names a commit that the repository does not have. */
export class DamagedRepository extends GitError {}
/**
 * Whether an error means that a repository is missing, unreadable or damaged, so that it must be restored from a
 * backup.
 */
export const isRepositoryFault = (error: unknown): error is GitError =>
  [NoRepository, UnsupportedRepository, DamagedRepository, MissingObject, DamagedObject].some(
    (kind) => error instanceof kind,
  )
/** A remote operation failed: `message` for people, `kind` for code. Contains no credential. */
export class RemoteError extends GitError {
  constructor(
    readonly kind:
      | 'unreachable'
      | 'unauthorized'
      | 'missing-ref'
      | 'not-a-repository'
      | 'refused-url'
      | 'rejected'
      | 'stale'
      | 'too-large'
      | 'unsafe-content'
      | 'removed-content'
      | 'timeout'
      | 'cancelled'
      | 'failed',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
/** A push or a fetch brought more bytes than `maxPackBytes`. */
export class PackTooLarge extends RemoteError {
  constructor(message: string) {
    super('too-large', message)
  }
}
