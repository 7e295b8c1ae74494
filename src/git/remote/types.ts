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
