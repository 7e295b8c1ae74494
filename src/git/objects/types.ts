/** What a repository contains: entries of trees, commits, and the files of a commit. */
import type { CommitId, TreeId } from '../../kernel/ids.js'

/** Who did something, and when, as Git records it. */
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
  /** The whole message, as written. */
  message: string
  /** Headers that Git itself does not define, such as `page-ids`; continuation lines joined by `\n`. */
  headers: Record<string, string>
}

/** The files of one commit, which never change. Reads go by object ID and are cached. */
export interface Snapshot {
  readonly commit: CommitId
  readonly tree: TreeId
  /** The entry at `path` (blob or tree), or null. '' is the root tree. */
  entry(path: string): Promise<TreeEntry | null>
  /** A folder's own entries in Git's order, or null if there is no such folder. */
  list(path: string): Promise<TreeEntry[] | null>
  /** A blob's bytes. Throws `MissingObject`, `ObjectTooLarge`. */
  read(oid: string, maxBytes?: number): Promise<Buffer>
  /** All blobs below `prefix`, in Git's order. */
  walk(prefix?: string): Promise<TreeEntry[]>
  /** Sizes of blobs in bytes, in the order of `oids`. */
  sizes(oids: readonly string[]): Promise<number[]>
}
