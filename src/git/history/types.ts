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

/**
 * The result of the check of a commit's SSH signature, with the fingerprint of the key. `invalid`: the signature does
 * not fit the commit. `unknown-key`: it fits, but no allowed signer had this key at the time of the commit.
 */
export type SignatureCheck = { state: 'valid' | 'unknown-key'; key: string } | { state: 'invalid' }
