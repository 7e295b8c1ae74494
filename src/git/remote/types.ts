/** Types for remotes and their content. */
import type { CommitId, RefName } from '../../kernel/ids.js'

/** A remote repository and, for a single operation, its credential. */
export interface Remote {
  /** The URL without credentials. */
  url: string
  username?: string
  password?: string
  /**
   * For an ssh address: the key that replaces the server's key, and host keys in addition to the server's known hosts.
   */
  ssh?: { privateKey: string; knownHosts?: string }
  /** Ends the operation when it is aborted. The operation then throws `RemoteError` 'cancelled'. */
  signal?: AbortSignal
}

/** The listed branches of a remote, and its default branch. */
export interface RemoteBranches {
  /** The default branch; null if there is none, or it has no commit. */
  default: RefName | null
  branches: { ref: RefName; head: CommitId }[]
  /** Whether there are more branches than listed. */
  truncated: boolean
}

export interface FetchResult {
  /** The commit that the remote's ref points to. */
  head: CommitId
  /** Number of received objects. */
  objects: number
}

/** A move of one ref of a remote from `expected` (null = it does not exist) to `commit`. */
export interface PushOrder {
  ref: RefName
  commit: CommitId
  expected: CommitId | null
}

export interface FetchLimits {
  /** The folder to which the limits on files apply; '' or absent = the whole tree. */
  directory?: string
  /** Maximum size of a blob in bytes. */
  maxBlobBytes: number
  /** Maximum size of all received objects in bytes. */
  maxPackBytes: number
  /** Maximum number of files and folders in the fetched tree. */
  maxEntries: number
  /** Maximum number of files and folders directly in one folder of the tree; absent = only `maxEntries` applies. */
  maxFolderEntries?: number
  /** Time limit for the whole operation in milliseconds. */
  timeoutMs: number
  /** Whether a client pushes the objects, instead of this server fetching them. Changes the wording of errors. */
  pushed?: boolean
  /** A head that was fetched and checked before. If the remote still has this head, nothing is checked or stored. */
  known?: CommitId
  /**
   * The folder and commit of the remote from which the checked objects were extracted. Changes the wording of errors.
   */
  within?: { directory: string; head: CommitId }
  /** Objects that were removed from the repository for good. If one of them arrives, nothing is stored. */
  removed?: ReadonlySet<string>
  /** Called several times a second with the number of received bytes. */
  received?: (bytes: number) => void
  /**
   * Whether the repository has nothing from the remote. Then no common commits are negotiated, which saves a request.
   */
  unrelated?: boolean
}
