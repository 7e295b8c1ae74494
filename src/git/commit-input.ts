/** What a commit is made of, and commits that are written together. */
import type { CommitId, TreeId } from '../kernel/ids.js'
import type { EntryMode, Signature, TreeEntry } from './objects/types.js'

/** What to put at a path: bytes, or an existing blob; or a deletion, which deletes a folder with everything in it. */
export type FileChange =
  | { path: string; content: Uint8Array; mode?: EntryMode }
  | { path: string; oid: TreeEntry['oid']; mode?: EntryMode }
  | { path: string; delete: true }
  /** A whole folder, which replaces what is there. The names in it are not checked. */
  | { path: string; tree: TreeId }

export interface WriteInput {
  /** The commit's parents. `changes` apply to the tree of the first one, unless `tree` is given. */
  parents: readonly CommitId[]
  changes: readonly FileChange[]
  /** The tree that `changes` apply to, instead of the first parent's. */
  tree?: TreeId
  message: string
  author: Signature
  committer: Signature
  /** Additional commit headers, such as `page-ids`; values may hold `\n`. */
  headers?: Record<string, string>
  /** Signs the commit, if the operator has given a key. */
  sign?: boolean
}

/** Commits that become durable together: `Repository.stage`. */
export interface Staging {
  /** Like `Repository.write`, but the commit is durable only after `settle`; until then only this process can read it, no Git process. */
  write(input: WriteInput): Promise<CommitId>
  /** Resolves when everything written so far is durable. May be called again after further writes. */
  settle(): Promise<void>
  /** Bytes that were written and may not be on the disk yet. */
  readonly bytes: number
}
