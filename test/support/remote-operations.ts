import { Launcher } from '../../src/git/process/launcher.js'
import { type RemoteOptions, remoteOptions } from '../../src/git/remote/connection.js'
import { fetchRemote } from '../../src/git/remote/fetch.js'
import { remoteDefault, remoteHead } from '../../src/git/remote/head.js'
import { push } from '../../src/git/remote/push.js'
import type { FetchLimits, FetchResult, PushOrder, Remote } from '../../src/git/types.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from './hermetic-git.js'

let launcher: Promise<Launcher> | undefined

/** The launcher of this test file. It ends with the process. */
export const sharedLauncher = (): Promise<Launcher> => (launcher ??= Launcher.open())

/** Remote operations on a repository that is identified only by its path. */
export function remoteOperations(given: RemoteOptions) {
  const options = remoteOptions(given)
  const at = async (path: string) => ({
    path,
    launcher: await sharedLauncher(),
    isAncestor: (ancestor: CommitId, descendant: CommitId): Promise<boolean> =>
      git(path, ['merge-base', '--is-ancestor', ancestor, descendant], undefined, { GIT_NO_REPLACE_OBJECTS: '1' }).then(
        () => true,
        () => false,
      ),
  })
  return {
    remoteHead: async (path: string, remote: Remote, ref: RefName): Promise<CommitId | null> =>
      remoteHead(options, await at(path), remote, ref),
    remoteDefault: async (path: string, remote: Remote): Promise<RefName | null> =>
      remoteDefault(options, await at(path), remote),
    fetch: async (path: string, remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult> =>
      fetchRemote(options, await at(path), remote, ref, limits),
    push: async (path: string, remote: Remote, order: PushOrder): Promise<void> =>
      push(options, await at(path), remote, order),
  }
}
