/** The content of a repository: tree entries, commits, and the files of a commit. */
import type { CommitId, TreeId } from '../../kernel/ids.js'

/** The author or committer of a commit with the time, as Git records it. */
export interface Signature {
  name: string
  email: string
  /** Seconds since 1970-01-01 UTC. */
  seconds: number
  /** Offset from UTC in minutes, east positive: `+0200` is 120. */
  offset: number
}

export type EntryMode = '100644' | '100755' | '120000' | '160000' | '040000'

export interface TreeEntry {
  /** Path from the repository's root. */
  path: string
  mode: EntryMode
  oid: string
}

export interface CommitInfo {
  id: CommitId
  tree: TreeId
  parents: CommitId[]
  author: Signature
  committer: Signature
  /** The complete message as written. */
  message: string
  /**
   * Headers that Git does not define, such as `page-ids`. Continuation lines are joined by `
   * `.
   */
  headers: Record<string, string>
}

/** The files of one commit, which never change. Reads use object IDs and are cached. */
export interface Snapshot {
  readonly commit: CommitId
  readonly tree: TreeId
  /** Returns the entry at `path` (blob or tree), or null. '' is the root tree. */
  entry(path: string): Promise<TreeEntry | null>
  /** Returns the direct entries of a folder in Git's order, or null if there is no such folder. */
  list(path: string): Promise<TreeEntry[] | null>
  /** Returns the bytes of a blob. Throws `MissingObject`, `ObjectTooLarge`. */
  read(oid: string, maxBytes?: number, once?: boolean): Promise<Buffer>
  /** Returns all blobs below `prefix` in Git's order. */
  walk(prefix?: string): Promise<TreeEntry[]>
  /** Returns the sizes of blobs in bytes, in the order of `oids`. */
  sizes(oids: readonly string[]): Promise<number[]>
}
