/** Questions about histories and differences. */
import type { CommitId } from '../../kernel/ids.js'

export interface HistoryQuery {
  from: CommitId
  /** Commits reachable from these are left out. */
  not?: readonly CommitId[]
  /** Only commits that touch this path. */
  path?: string
  firstParent?: boolean
  /** Only commits whose author has this e-mail address; case does not matter. */
  author?: string
  limit?: number
  skip?: number
}

/** Two blobs to be compared as text, by their IDs. */
export interface TextDiffQuery {
  before: string
  after: string
  /** Word by word instead of line by line. */
  words: boolean
  /** Longest result that is returned. */
  maxBytes: number
}

/** A commit and the parent that it is compared with; null compares it with the empty tree. */
export interface CommitStep {
  commit: CommitId
  parent: CommitId | null
}

/** The paths that a commit changed. */
export interface CommitPaths {
  commit: CommitId
  /** The committer's date, in seconds since 1970. */
  seconds: number
  changes: { status: 'added' | 'deleted' | 'modified' | 'renamed'; path: string }[]
}
