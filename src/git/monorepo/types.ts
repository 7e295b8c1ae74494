/** Imports and exports of one folder of a remote, by way of a scratch repository. */
import type { CommitId, TreeId } from '../../kernel/ids.js'
import type { CommitInfo } from '../objects/types.js'
import type { FetchLimits } from '../remote/types.js'
import type { WriteInput } from '../commit-input.js'

/** Whose scratch repository of a remote is used (two owners never share one), and the milliseconds that may be waited for it. */
export interface ScratchHold {
  owner: string
  timeoutMs: number
}

/** What an import of one folder takes of a remote: the commits that change the folder, as commits of the folder alone. */
export interface FolderOrder extends Omit<FetchLimits, 'pushed' | 'directory' | 'within' | 'unrelated'>, ScratchHold {
  /** A folder below the root. */
  directory: string
  /** Commits here whose objects need not be brought again: they and their ancestors are complete. */
  have: readonly CommitId[]
  /** What the commit here is made of, for a commit of the remote; the same for the same input. */
  folderCommit(of: CommitInfo, parents: readonly CommitId[], tree: TreeId): WriteInput
  /** Called while the history is mapped, with the number of commits that are done and of all. */
  mapped?: (done: number, total: number) => Promise<void>
}

/** A file at the root of a remote, by its name, of at most `maxBytes` (and no more than 256 KiB). */
export interface RootFileOrder extends Omit<FetchLimits, 'pushed' | 'directory' | 'within' | 'unrelated'>, ScratchHold {
  name: string
  maxBytes: number
}

/** What was fetched. If the head is the one of `known`, nothing more is said. */
export interface FetchedFolder {
  head: CommitId
  /** The head as a commit of the folder alone; null if that history never had the folder. */
  theirs: CommitId | null
  /** The commit here for a commit of the remote, if that is in the history of the head; null as above. */
  find(remote: string): CommitId | null | undefined
  /** Commits of the remote that are `mapped` here, at most `limit`, parents first: the first one changed the folder, unless several did in the same way. */
  originals(mapped: CommitId, limit: number): CommitId[]
  /** The paths of all files and folders outside the folder; null if the head is the one of `known`, or their names have more than 4 MiB. */
  beside: readonly string[] | null
}
