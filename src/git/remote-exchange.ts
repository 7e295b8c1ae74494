/** The remotes of one repository: their refs, fetches and pushes. */
import type { CommitId, RefName } from '../kernel/ids.js'
import { type FolderRepositories, fetchFolder, useScratch } from './monorepo/fetch-folder.js'
import { type FolderTools, withOutgoing } from './monorepo/folder-scratch.js'
import type { FetchedFolder, FolderOrder, RootFileOrder, ScratchHold } from './monorepo/types.js'
import type { RemoteOptions } from './remote/connection.js'
import { fetchRemote } from './remote/fetch.js'
import { remoteBranches, remoteDefault, remoteHead, remoteHeads } from './remote/head.js'
import { lfsAccess } from './remote/lfs-access.js'
import { push, tryPush } from './remote/push.js'
import type { FetchLimits, FetchResult, Remote, RemoteBranches } from './remote/types.js'
import type { Exchange, FolderScratch } from './types.js'

/** Exchanges commits of one repository with remotes. */
export class RemoteExchange implements Exchange {
  /** @param open opens the repository in which commits of a remote's scratch repository are built */
  constructor(
    private readonly options: RemoteOptions,
    private readonly here: FolderRepositories,
    private readonly open: FolderTools['open'],
  ) {}

  head(remote: Remote, ref: RefName): Promise<CommitId | null> {
    return remoteHead(this.options, this.here.local, remote, ref)
  }

  heads(remote: Remote, refs: readonly RefName[]): Promise<Map<RefName, CommitId>> {
    return remoteHeads(this.options, this.here.local, remote, refs)
  }

  branches(remote: Remote): Promise<RemoteBranches> {
    return remoteBranches(this.options, this.here.local, remote)
  }

  defaultBranch(remote: Remote): Promise<RefName | null> {
    return remoteDefault(this.options, this.here.local, remote)
  }

  lfsAccess(remote: Remote): Promise<string> {
    return lfsAccess(this.options, this.here.local, remote)
  }

  fetch(remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult> {
    return fetchRemote(this.options, this.here.local, remote, ref, limits)
  }

  fetchFolder(remote: Remote, ref: RefName, order: FolderOrder): Promise<FetchedFolder> {
    return fetchFolder(this.options, this.here, remote, ref, order)
  }

  rootFile(remote: Remote, ref: RefName, order: RootFileOrder): Promise<string | null> {
    return useScratch(this.options, this.here, remote, order, (held) => held.rootFile(ref, order))
  }

  onScratch<T>(remote: Remote, hold: ScratchHold, work: (scratch: FolderScratch) => Promise<T>): Promise<T> {
    const tools = { local: this.here.local, remote: this.options, open: this.open }
    return useScratch(this.options, this.here, remote, hold, (held) => withOutgoing(held, tools, work))
  }

  push(remote: Remote, ref: RefName, commit: CommitId, expected: CommitId | null): Promise<void> {
    return push(this.options, this.here.local, remote, { ref, commit, expected })
  }

  tryPush(remote: Remote, ref: RefName, commit: CommitId): Promise<void> {
    return tryPush(this.options, this.here.local, remote, ref, commit)
  }
}
