// Determines the two commits between which a change request is compared.
import { required } from '../../kernel/defined.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { headOf } from '../revisions/main-content.js'
import { mergedChangeRequest } from '../revisions/revision-type.js'

/** The two commits whose difference is the change request. */
interface Span {
  before: CommitId
  after: CommitId
  /**
   * The commit that merged it into main. Null if it is not merged, or if main was fast-forwarded to its branch with
   * plain Git.
   */
  merge: CommitId | null
}

/**
 * Returns the span of a change request. If it is not merged, the span is from the merge base with main to its head. If
 * it is merged, the span is from the merge commit's first parent to that commit, so that other changes of main are
 * excluded.
 */
export async function spanOf(app: App, space: LoadedSpace, changeRequest: LoadedChangeRequest): Promise<Span> {
  const { repo } = space
  const { doc, head } = changeRequest
  const initial = doc.revisionInitial
  if (doc.status !== 'merged')
    return { before: (await repo.history.mergeBase(headOf(space), head)) ?? initial, after: head, merge: null }
  const merge = await findMerge(app, space, changeRequest)
  const first = merge && (await repo.objects.commit(merge)).parents[0]
  if (merge && first) return (await recordedSpan(space, merge)) ?? { before: first, after: merge, merge }
  return { before: doc.revisionMergedAncestor ?? initial, after: head, merge: null }
}

/**
 * Returns the span of a change request whose merge main only records, since an import brought its content: the changes
 * of its branch. Null for any other merge.
 */
async function recordedSpan({ repo }: LoadedSpace, merge: CommitId): Promise<Span | null> {
  const { parents, tree } = await repo.objects.commit(merge)
  const [main, branch] = parents
  if (main === undefined || branch === undefined || (await repo.objects.commit(main)).tree !== tree) return null
  const before = await repo.history.mergeBase(main, branch)
  return before === null ? null : { before, after: branch, merge }
}

/**
 * Finds the merge commit on main: the service's, otherwise the first commit of main that contains the branch's head, if
 * it was merged with plain Git.
 */
async function findMerge(app: App, space: LoadedSpace, { doc, head }: LoadedChangeRequest): Promise<CommitId | null> {
  const { repo } = space
  const recorded = doc.revisionMerged
  if (recorded !== undefined && (await repo.objects.hasCommit(recorded))) {
    const info = await repo.objects.commit(recorded)
    if ((await mergedChangeRequest(app, space, info))?.id === doc.id) return info.id
  }
  const line = await repo.history.firstParents(headOf(space))
  // Binary search: main's commits are newest first, so commits that contain the branch come before those that do not.
  let [has, lacks] = [-1, line.length]
  while (lacks - has > 1) {
    const middle = Math.floor((has + lacks) / 2)
    if (await repo.history.isAncestor(head, required(line[middle]))) has = middle
    else lacks = middle
  }
  const oldest = line[has]
  return oldest !== undefined && oldest !== head && (await repo.objects.commit(oldest)).parents.length > 1
    ? oldest
    : null
}
