import { Launcher } from '../../src/git/process/launcher.js'
import type { RemoteOptions } from '../../src/git/remote/connection.js'
import { createRemoteOperations } from '../../src/git/remote/operations.js'
import type { FetchLimits, FetchResult, PushOrder, Remote } from '../../src/git/types.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import { git } from './hermetic-git.js'

let launcher: Promise<Launcher> | undefined

/** The launcher of this test file. It ends with the process. */
export const sharedLauncher = (): Promise<Launcher> => (launcher ??= Launcher.open())

/** Remote operations on a repository that is identified only by its path. */
export function remoteOperations(options: RemoteOptions) {
  const operations = createRemoteOperations(options)
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
      operations.remoteHead(await at(path), remote, ref),
    remoteDefault: async (path: string, remote: Remote): Promise<RefName | null> =>
      operations.remoteDefault(await at(path), remote),
    fetch: async (path: string, remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult> =>
      operations.fetch(await at(path), remote, ref, limits),
    push: async (path: string, remote: Remote, order: PushOrder): Promise<void> =>
      operations.push(await at(path), remote, order),
  }
}
