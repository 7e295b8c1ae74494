/** Remotes, as callers name them, and what they have. */
import type { CommitId, RefName } from '../../kernel/ids.js'

/** A remote repository and, for one operation only, the credential for it. */
export interface Remote {
  /** URL without credentials. */
  url: string
  username?: string
  password?: string
  /** For an ssh address: this key instead of the server's, and keys of hosts besides those that the server knows. */
  ssh?: { privateKey: string; knownHosts?: string }
  /** Ends the operation when it is aborted; then it throws `RemoteError` 'cancelled'. */
  signal?: AbortSignal
}

/** What a remote has, as far as it is listed. */
export interface RemoteBranches {
  /** Its default branch; null if it has none, or that has no commit. */
  default: RefName | null
  branches: { ref: RefName; head: CommitId }[]
  /** There are more than are listed. */
  truncated: boolean
}

export interface FetchResult {
  /** The commit that the remote's ref names. */
  head: CommitId
  /** How many objects arrived. */
  objects: number
}

/** A move of one ref of a remote: from `expected` (null = it does not exist) to `commit`. */
export interface PushOrder {
  ref: RefName
  commit: CommitId
  expected: CommitId | null
}

export interface FetchLimits {
  /** The folder that the limits on files apply to; '' or absent = the whole tree. */
  directory?: string
  /** Largest blob, in bytes. */
  maxBlobBytes: number
  /** Size of all objects that arrive, in bytes. */
  maxPackBytes: number
  /** Number of files and folders in the fetched tree. */
  maxEntries: number
  /** Number of files and folders directly in one folder of that tree; absent = only `maxEntries` counts. */
  maxFolderEntries?: number
  /** Milliseconds for the whole operation. */
  timeoutMs: number
  /** Whether somebody pushes here, instead of being fetched from: for the words of errors. */
  pushed?: boolean
  /** A head that was fetched and checked before: if it is still the head, nothing is checked or kept. */
  known?: CommitId
  /** What is checked was taken out of this folder of this commit of the remote: for the words of errors. */
  within?: { directory: string; head: CommitId }
  /** Called several times a second with the bytes that have arrived. */
  received?: (bytes: number) => void
  /** Whether the repository has nothing of the remote: then it is not asked what both have, which saves the remote a request. */
  unrelated?: boolean
}
