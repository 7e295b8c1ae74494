/** Queries for histories and differences. */
import type { CommitId } from '../../kernel/ids.js'

export interface HistoryQuery {
  from: CommitId
  /** Commits whose reachable commits are left out. */
  not?: readonly CommitId[]
  /** Includes only commits that touch this path. */
  path?: string
  firstParent?: boolean
  /** Includes only commits by the author with this e-mail address, regardless of case. */
  author?: string
  limit?: number
  skip?: number
}

/** Asks for the changes of a file on the first-parent line of `from`, newest first. */
export interface FileChangesQuery {
  from: CommitId
  path: string
  limit: number
  /** The time of the oldest change, in seconds since 1970; absent = all. */
  since?: number
}

/** A change of a file at one path. */
export interface PastFileChange {
  commit: CommitId
  /** The ID of the file before the change; null if the commit added it. */
  before: string | null
}

/** Two blobs to compare as text, by their IDs. */
export interface TextDiffQuery {
  before: string
  after: string
  /** Whether to compare by words instead of lines. */
  words: boolean
  /** Maximum size of a returned result in bytes. */
  maxBytes: number
  /** The number of unchanged lines around each change; 3 by default. */
  context?: number
}

/** A commit and the parent for the comparison; null compares it with the empty tree. */
export interface CommitStep {
  commit: CommitId
  parent: CommitId | null
}

/** The paths that a commit changed. */
export interface CommitPaths {
  commit: CommitId
  /** The commit date in seconds since 1970. */
  seconds: number
  changes: { status: 'added' | 'deleted' | 'modified' | 'renamed'; path: string }[]
}

/** The keys of allowed signers, for one format of signatures. */
export type AllowedKeys =
  /** Lines in the format of `gpg.ssh.allowedSignersFile`. */
  | { format: 'ssh'; ssh: string }
  /** Public keys as a keyring of `gpg`, without armor. */
  | { format: 'openpgp'; keyring: Buffer }

/**
 * The result of the check of a commit's signature, with the fingerprint of the key (of a GPG key: that of its primary
 * key). `invalid`: the signature does not fit the commit. `unknown-key`: no allowed signer had this key at the time of
 * the commit; an SSH signature fits, a GPG signature could not be compared without the key. `not-checked`: `gpg` is not
 * installed, or does not support the algorithm.
 */
export type SignatureCheck =
  | { state: 'valid'; key: string }
  | { state: 'unknown-key'; key?: string }
  | { state: 'invalid' | 'not-checked' }
