/** Base of what `git/` throws; `domain/` translates by class, never by message. */
export class GitError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}
/** The compare-and-swap found another value. */
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
/** Lock files of another Git process stayed in the way of a move; `locks` are their paths from the repository's root. */
export class RefLocked extends GitError {
  constructor(
    readonly locks: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`${locks.join(', ')} is held by another process, or was left by one`, options)
  }
}
export class MissingObject extends GitError {}
/** An object that is known, and that a new commit or a ref needs, is not in the repository any more: pruned or damaged. */
export class LostObject extends MissingObject {
  constructor(
    readonly oid: string,
    repository: string,
  ) {
    super(`object ${oid} is no longer in ${repository}: it was pruned, or is damaged`)
  }
}
export class ObjectTooLarge extends GitError {}
/** A path that may not stand in a tree; `path` names it. */
export class InvalidPath extends GitError {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${JSON.stringify(path)}: ${reason}`)
  }
}
/** Two paths of one tree that differ by case alone. */
export class PathCollision extends GitError {
  constructor(
    readonly path: string,
    readonly existing: string,
  ) {
    super(`${JSON.stringify(path)} differs from ${JSON.stringify(existing)} by case alone`)
  }
}
export class RepositoryExists extends GitError {}
export class NoRepository extends GitError {}
export class UnsupportedRepository extends GitError {}
/** Why a remote operation failed; `stage` and `reason` are for people, `kind` for code. Holds no credential. */
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
      | 'timeout'
      | 'failed',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
