/** The order for rewriting a history, and its result. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { RemovedPerson } from './redaction.js'

/** The content to remove from a history. */
export interface RewriteOrder {
  /** Files and folders, by their paths from the root. */
  paths: readonly string[]
  texts: readonly string[]
  people: readonly RemovedPerson[]
  /**
   * A commit header that the caller determines, for every commit from the oldest on. It returns the value for the new
   * commit; undefined = no such header. If `changed` is false, the commit stays as it is.
   */
  header: { name: string; valueFor(commit: RewrittenCommit): Promise<string | undefined> }
}

export interface RewrittenCommit {
  id: CommitId
  firstParent: CommitId | null
  /** The current value of the header. */
  value: string | undefined
  /** Whether the files or the parents of the commit change. */
  changed: boolean
}

export interface RewrittenRef {
  from: RefName
  to: RefName
  oldObject: string
  newObject: string
}

export interface RewriteResult {
  /** New names of changed objects of all types, by their former names. */
  names: ReadonlyMap<string, string>
  /** Former names of the commits that change, oldest first. */
  commits: readonly CommitId[]
  /** The commits whose own message or people were changed. */
  saying: readonly CommitId[]
  /** All refs, also those that stay. */
  refs: readonly RewrittenRef[]
  /** Names of removed and changed files, and of `saying`. The new repository has none of them. */
  removed: readonly string[]
  /** Paths at which something was removed or changed, and the number of versions. */
  files: ReadonlyMap<string, number>
  /** Number of commits and tags that lose their signature. */
  signatures: number
  /** Removed files that other paths still have, by path. */
  stillAt: readonly string[]
  /** Names of files and folders that contain a text. They stay. */
  named: readonly string[]
  /** Files that are too large to be read. */
  unread: readonly string[]
  /** Hashes of the Git LFS objects of removed pointers. */
  lfsObjects: readonly string[]
}
