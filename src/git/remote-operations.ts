import type { CommitId, RefName } from '../kernel/ids.js'
import type { FetchLimits, FetchResult, Remote } from './types.js'

/** What `Repository` does with remotes, over the bare repository at `repoPath`. All throw `RemoteError` alone. */
export interface RemoteOperations {
  /** What the remote's ref names; null = no such ref (or an empty repository). */
  remoteHead(repoPath: string, remote: Remote, ref: RefName): Promise<CommitId | null>
  /** Fetches `ref` into a quarantine, checks it there, moves the objects in durably. Moves no ref. */
  fetch(repoPath: string, remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult>
  /** Moves the remote's `ref` from `expected` (null = it does not exist) to `commit`, a descendant. */
  push(repoPath: string, remote: Remote, ref: RefName, commit: CommitId, expected: CommitId | null): Promise<void>
}
