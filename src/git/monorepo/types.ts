/** Types for imports and exports of one folder of a remote, through a scratch repository. */
import type { CommitId, TreeId } from '../../kernel/ids.js'
import type { CommitInfo } from '../objects/types.js'
import type { FetchLimits } from '../remote/types.js'
import type { WriteInput } from '../commit-input.js'

/** The owner of the scratch repository (two owners never share one), and the maximum wait for it in milliseconds. */
export interface ScratchHold {
  owner: string
  timeoutMs: number
}

/** A request to import one folder of a remote: the commits that change the folder, as commits of only this folder. */
export interface FolderOrder extends Omit<FetchLimits, 'pushed' | 'directory' | 'within' | 'unrelated'>, ScratchHold {
  /** The path of a folder below the root. */
  directory: string
  /** Local commits that are complete with their ancestors, so their objects need not be copied again. */
  have: readonly CommitId[]
  /** Returns the content of the mapped commit for a commit of the remote. The same input gives the same result. */
  folderCommit(of: CommitInfo, parents: readonly CommitId[], tree: TreeId): WriteInput
  /** Called during the mapping with the number of finished commits and the total. */
  mapped?: (done: number, total: number) => Promise<void>
}

/** A request for a file at the root of a remote, of at most `maxBytes` (and at most 256 KiB). */
export interface RootFileOrder extends Omit<FetchLimits, 'pushed' | 'directory' | 'within' | 'unrelated'>, ScratchHold {
  name: string
  maxBytes: number
}

/** The result of a fetch. If the head equals `known`, the other fields are empty. */
export interface FetchedFolder {
  head: CommitId
  /** The commit that the head maps to; null if the folder never existed in its history. */
  theirs: CommitId | null
  /**
   * Returns the mapped commit for a commit of the remote in the history of the head; null and undefined as in
   * `FolderMap.find`.
   */
  find(remote: string): CommitId | null | undefined
  /**
   * Returns at most `limit` commits of the remote that map to `mapped`, parents first. The first one changed the
   * folder, unless several made the same change.
   */
  originals(mapped: CommitId, limit: number): CommitId[]
  /**
   * The paths of all files and folders outside the folder. Null if the head equals `known`, or if the names exceed 4
   * MiB.
   */
  outsidePaths: readonly string[] | null
}
