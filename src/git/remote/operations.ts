import ipaddr from 'ipaddr.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { FetchLimits, FetchResult, PushOrder, Remote } from '../types.js'
import type { RemoteOptions } from './connection.js'
import { fetchRemote } from './fetch.js'
import { remoteDefault, remoteHead } from './head.js'
import { push } from './push.js'

/** How remotes are reached; `repoPath` is the bare repository here. The methods of `Repository` with these names say more. */
export interface RemoteOperations {
  remoteHead(repoPath: string, remote: Remote, ref: RefName): Promise<CommitId | null>
  remoteDefault(repoPath: string, remote: Remote): Promise<RefName | null>
  fetch(repoPath: string, remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult>
  push(repoPath: string, remote: Remote, order: PushOrder): Promise<void>
}

const absent = (): Promise<never> => Promise.reject(new Error('git/ was opened without remote operations'))

/** For tests that reach no remote. */
export const noRemote: RemoteOperations = { remoteHead: absent, remoteDefault: absent, fetch: absent, push: absent }

/**
 * Operations on remotes through Git processes. They keep no state: each call checks the URL and resolves its host again. Throws
 * at once if a network of `allowPrivateNetworks` is not a CIDR.
 */
export function createRemoteOperations(options: RemoteOptions): RemoteOperations {
  for (const network of typeof options.allowPrivateNetworks === 'boolean' ? [] : options.allowPrivateNetworks) {
    if (!ipaddr.isValidCIDR(network)) throw new Error(`"${network}" is not a network such as 10.0.0.0/8`)
  }
  return {
    remoteHead: (repoPath, remote, ref) => remoteHead(options, repoPath, remote, ref),
    remoteDefault: (repoPath, remote) => remoteDefault(options, repoPath, remote),
    fetch: (repoPath, remote, ref, limits) => fetchRemote(options, repoPath, remote, ref, limits),
    push: (repoPath, remote, order) => push(options, repoPath, remote, order),
  }
}
