/** Combines the operations on remotes (read heads, fetch, push) in one interface, which tests can replace. */
import ipaddr from 'ipaddr.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type FolderRepositories, fetchFolder, type ReservedScratch, useScratch } from '../monorepo/fetch-folder.js'
import type {
  FetchedFolder,
  FetchLimits,
  FetchResult,
  FolderOrder,
  PushOrder,
  Remote,
  RemoteBranches,
  ScratchHold,
} from '../types.js'
import type { LocalRepository, RemoteOptions } from './connection.js'
import { fetchRemote } from './fetch.js'
import { remoteBranches, remoteDefault, remoteHead, remoteHeads } from './head.js'
import { ProtocolVersions } from './http/spoken-versions.js'
import { lfsAccess } from './lfs-access.js'
import { push, tryPush } from './push.js'

/** The operations on remotes. The methods of `Repository` with the same names document them. */
export interface RemoteOperations {
  remoteHead(local: LocalRepository, remote: Remote, ref: RefName): Promise<CommitId | null>
  remoteDefault(local: LocalRepository, remote: Remote): Promise<RefName | null>
  remoteHeads(local: LocalRepository, remote: Remote, refs: readonly RefName[]): Promise<Map<RefName, CommitId>>
  remoteBranches(local: LocalRepository, remote: Remote): Promise<RemoteBranches>
  lfsAccess(local: LocalRepository, remote: Remote): Promise<string>
  tryPush(local: LocalRepository, remote: Remote, ref: RefName, commit: CommitId): Promise<void>
  fetch(local: LocalRepository, remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult>
  fetchFolder(at: FolderRepositories, remote: Remote, ref: RefName, order: FolderOrder): Promise<FetchedFolder>
  useScratch<T>(
    at: FolderRepositories,
    remote: Remote,
    hold: ScratchHold,
    work: (held: ReservedScratch) => Promise<T>,
  ): Promise<T>
  push(local: LocalRepository, remote: Remote, order: PushOrder): Promise<void>
}

const absent = (): Promise<never> => Promise.reject(new Error('git/ was opened without remote operations'))

/** Operations for tests that use no remote. */
export const noRemote: RemoteOperations = {
  remoteHead: absent,
  remoteHeads: absent,
  remoteBranches: absent,
  lfsAccess: absent,
  tryPush: absent,
  remoteDefault: absent,
  fetch: absent,
  fetchFolder: absent,
  useScratch: absent,
  push: absent,
}

/**
 * Creates the operations on remotes. The only state is the set of remotes that support protocol 2: each call checks the
 * URL and resolves its host again. Throws at once if a network of `allowPrivateNetworks` is not a CIDR.
 */
export function createRemoteOperations(given: RemoteOptions): RemoteOperations {
  for (const network of typeof given.allowPrivateNetworks === 'boolean' ? [] : given.allowPrivateNetworks) {
    if (!ipaddr.isValidCIDR(network)) throw new Error(`"${network}" is not a network such as 10.0.0.0/8`)
  }
  const options: RemoteOptions = { protocolVersions: new ProtocolVersions(), ...given }
  return {
    remoteHead: (local, remote, ref) => remoteHead(options, local, remote, ref),
    remoteDefault: (local, remote) => remoteDefault(options, local, remote),
    remoteHeads: (local, remote, refs) => remoteHeads(options, local, remote, refs),
    remoteBranches: (local, remote) => remoteBranches(options, local, remote),
    lfsAccess: (local, remote) => lfsAccess(options, local, remote),
    tryPush: (local, remote, ref, commit) => tryPush(options, local, remote, ref, commit),
    fetch: (local, remote, ref, limits) => fetchRemote(options, local, remote, ref, limits),
    fetchFolder: (at, remote, ref, order) => fetchFolder(options, at, remote, ref, order),
    useScratch: (at, remote, hold, work) => useScratch(options, at, remote, hold, work),
    push: (local, remote, order) => push(options, local, remote, order),
  }
}
