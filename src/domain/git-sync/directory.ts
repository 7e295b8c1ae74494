// Maps the commits of a remote to commits of one folder, for syncs of that folder.
import type { CommitInfo, WriteInput } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { PAGE_IDS } from '../revisions/identity.js'
import { SyncFailure } from './failure.js'
import { describeRemote, type SyncRemote } from './remote.js'
import type { SyncLog } from './log-entries.js'

/** The error of an import from a folder that the remote does not have. */
export const noFolder = (remote: SyncRemote): SyncFailure =>
  new SyncFailure(
    `${describeRemote(remote)} has no folder ${remote.directory}/. Correct repoProjectDirectory, or export first to create the folder.`,
  )

/** Returns the remote commits that the log maps already. */
export const mappedBefore = (log: SyncLog): Map<string, CommitId> =>
  new Map(log.entries.map(({ remote, theirs }) => [remote, theirs]))

/** Builds the commit that contains only the folder, for a commit of the remote. */
export function folderCommit(
  { message, author, committer, headers }: Pick<CommitInfo, 'message' | 'author' | 'committer' | 'headers'>,
  parents: readonly CommitId[],
  tree: TreeId,
): WriteInput {
  const header = headers[PAGE_IDS]
  return {
    parents,
    changes: [],
    tree,
    message,
    author,
    committer,
    ...(header === undefined ? {} : { headers: { [PAGE_IDS]: header } }),
  }
}
