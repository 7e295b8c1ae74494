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

/** The two commits that the host merged, as local commits: the base branch before the merge, and the exported revision. */
export interface MergedSides {
  ours: CommitId
  theirs: CommitId
}

/** Returns the two commits that the host merged. Null if one of them is not available. */
export const sidesOfMerge = (all: Export, { commit }: ExportedRevision): Promise<MergedSides | null> =>
  withMerge(all, async ({ before, exportedHere }) => {
    const theirs = await exportedHere(commit)
    return theirs && { ours: before, theirs }
  })

/**
 * Finds the newest exported revision whose merge into the base branch has the tree of the merge on the host. Null if
 * there is none. A host that rebases the branch before the merge lists none of the exported commits.
 */
export const mergedByTree = (all: Export): Promise<ExportedRevision | null> =>
  withMerge(all, async ({ before, result, exportedHere }) => {
    const { repo } = all.space
    const { tree } = await repo.objects.commit(result)
    for (const one of exportedRevisions(all.doc).slice(0, MAX_TRIED)) {
      const theirs = await exportedHere(one.commit)
      const merged = theirs === null ? null : await repo.trees.merge({ ours: before, theirs })
      if (merged?.clean && merged.tree === tree) return one
    }
    return null
  })

/** A merge on the host, as local commits. */
interface MergeThere {
  /** The base branch before the merge. */
  before: CommitId
  /** The base branch after the merge. */
  result: CommitId
  /** Finds the local commit of an exported one. */
  exportedHere(commit: CommitId): Promise<CommitId | null>
}

/** Runs work with the merge on the host. Returns null if its commits are not available. */
async function withMerge<T>(all: Export, work: (merge: MergeThere) => Promise<T | null>): Promise<T | null> {
  const { space, remote, doc } = all
  const { repo } = space
  const [first, last] = [doc.became?.commits[0], doc.became?.commits.at(-1)]
  if (first === undefined || last === undefined) return null
  return onRemoteSide(all, async ({ side }) => {
    const log = await readSyncLog(repo, remote, headOf(space))
    // The remote's side may no longer have an exported commit. The log has its local commit.
    const exportedHere = async (commit: CommitId): Promise<CommitId | null> => {
      const theirs = log.entries.find((entry) => entry.remote === commit)?.theirs ?? commit
      return (await repo.objects.hasCommit(theirs)) ? theirs : null
    }
    try {
      if (side.usesScratch) await side.fetch(remote.ref)
      const [parent] = (await side.commits.objects.commit(first)).parents
      const [before, result] = [
        parent === undefined ? null : await side.local(log, parent),
        await side.local(log, last),
      ]
      return before === null || result === null ? null : await work({ before, result, exportedHere })
    } catch (error) {
      if (!(error instanceof MissingObject)) throw error
      return null
    }
  })
}
