/**
 * Finds the exported revision that was merged with a pull request. The service may push a later one after the merge, so
 * the newest exported revision may not be the merged one. Only exact evidence counts: the host lists the revision's
 * commit among the merged commits, or the trees are equal.
 */
import { MissingObject } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { ExportedRevision, RequestExportDoc } from '../../model/index.js'
import { onRemoteSide } from '../git-sync/remote-side.js'
import { readSyncLog } from '../git-sync/sync-log.js'
import { headOf } from '../revisions/main-content.js'
import type { Export } from './poll-context.js'

/** Maximum number of revisions for which the merge is tried. */
const MAX_TRIED = 5

/** Lists the revisions that the host's branch had or may have had, newest first. */
export const exportedRevisions = ({ offered, pushed, earlier = [] }: RequestExportDoc): ExportedRevision[] =>
  [offered, pushed, ...earlier].filter((one) => one !== undefined)

/**
 * Finds the newest exported revision whose merge into the base branch has the tree of the merge on the host. Null if
 * there is none. A host that rebases the branch before the merge lists none of the exported commits.
 */
export async function mergedByTree(all: Export): Promise<ExportedRevision | null> {
  const { space, remote, doc } = all
  const { repo } = space
  const [first, last] = [doc.became?.commits[0], doc.became?.commits.at(-1)]
  if (first === undefined || last === undefined) return null
  return onRemoteSide(all, async ({ side }) => {
    const log = await readSyncLog(repo, remote, headOf(space))
    const local = (commit: CommitId): Promise<CommitId | null> => side.local(log, commit)
    try {
      if (side.usesScratch) await side.fetch(remote.ref)
      const [before] = (await side.commits.commit(first)).parents
      const [ours, result] = [before === undefined ? null : await local(before), await local(last)]
      if (ours === null || result === null) return null
      const { tree } = await repo.commit(result)
      for (const one of exportedRevisions(doc).slice(0, MAX_TRIED)) {
        const theirs = await exportedHere(one.commit)
        const merged = theirs === null ? null : await repo.merge({ ours, theirs })
        if (merged?.clean && merged.tree === tree) return one
      }
    } catch (error) {
      if (!(error instanceof MissingObject)) throw error
    }
    return null

    /** Finds the local commit of an exported one in the log. The remote's side may no longer have it. */
    async function exportedHere(commit: CommitId): Promise<CommitId | null> {
      const theirs = log.entries.find((entry) => entry.remote === commit)?.theirs ?? commit
      return (await repo.hasCommit(theirs)) ? theirs : null
    }
  })
}
