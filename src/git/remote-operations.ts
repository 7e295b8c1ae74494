import type { CommitId, RefName } from '../kernel/ids.js'
import type { FetchLimits, FetchResult, Remote } from './types.js'

/** What talks to other repositories; `repoPath` is the bare repository here. The promises are those of `Repository`. */
export interface RemoteOperations {
  remoteHead(repoPath: string, remote: Remote, ref: RefName): Promise<CommitId | null>
  remoteDefault(repoPath: string, remote: Remote): Promise<RefName | null>
  fetch(repoPath: string, remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult>
  push(repoPath: string, remote: Remote, ref: RefName, commit: CommitId, expected: CommitId | null): Promise<void>
}

const absent = (): Promise<never> => Promise.reject(new Error('git/ was opened without remote operations'))

/** For a service (or a test) that speaks with no remote. */
export const noRemote: RemoteOperations = { remoteHead: absent, remoteDefault: absent, fetch: absent, push: absent }
