/** The input of a commit, and commits that are written together. */
import type { CommitId, TreeId } from '../kernel/ids.js'
import type { EntryMode, Signature, TreeEntry } from './objects/types.js'

/** A change at a path: new content, an existing blob, or a deletion. Deleting a folder deletes everything in it. */
export type FileChange =
  | { path: string; content: Uint8Array; mode?: EntryMode }
  | { path: string; oid: TreeEntry['oid']; mode?: EntryMode }
  | { path: string; delete: true }
  /** A whole folder, which replaces the existing entry. The names in it are not checked. */
  | { path: string; tree: TreeId }

export interface WriteInput {
  /** The commit's parents. `changes` apply to the tree of the first one, unless `tree` is given. */
  parents: readonly CommitId[]
  changes: readonly FileChange[]
  /** The tree to which `changes` apply, instead of the first parent's. */
  tree?: TreeId
  message: string
  author: Signature
  committer: Signature
  /**
   * Additional commit headers, such as `page-ids`. Values may contain `
   * `.
   */
  headers?: Record<string, string>
  /** Whether to sign the commit, if the operator has set a key. */
  sign?: boolean
}

/** A series of commits that become durable together: `Objects.stage`. */
export interface Staging {
  /**
   * Like `Objects.write`, but the commit is durable only after `settle`. Until then, only this process can read it,
   * and no Git process.
   */
  write(input: WriteInput): Promise<CommitId>
  /** Resolves when everything written so far is durable. May be called again after further writes. */
  settle(): Promise<void>
  /** Number of written bytes that may not be on the disk yet. */
  readonly bytes: number
}
