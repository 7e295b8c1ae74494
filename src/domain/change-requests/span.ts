// Tells which commits a change request is compared between.
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { headOf } from '../revisions/main-content.js'
import { mergedChangeRequest } from '../revisions/revision-type.js'

/** The two commits whose difference is what a change request changes. */
interface Span {
  before: CommitId
  after: CommitId
  /** The commit that merged it into main. Null if it is not merged, or if somebody fast-forwarded main to its branch with plain Git. */
  merge: CommitId | null
}

/**
 * The changes of a change request. If it is not merged: from the merge base with main to its head. If it is merged: from the first parent of the
 * merge commit to that commit, so that other changes of main are not part of them.
 */
export async function spanOf(app: App, space: LoadedSpace, changeRequest: LoadedChangeRequest): Promise<Span> {
  const { repo } = space
  const { doc, head } = changeRequest
  const initial = doc.revisionInitial as CommitId
  if (doc.status !== 'merged')
    return { before: (await repo.mergeBase(headOf(space), head)) ?? initial, after: head, merge: null }
  const merge = await findMerge(app, space, changeRequest)
  const first = merge && (await repo.commit(merge)).parents[0]
  if (merge && first) return (await recordedSpan(space, merge)) ?? { before: first, after: merge, merge }
  return { before: (doc.revisionMergedAncestor as CommitId | undefined) ?? initial, after: head, merge: null }
}

/** The changes of a change request whose merge main only records, since its content came by an import: those of its branch. Null for any other merge. */
async function recordedSpan({ repo }: LoadedSpace, merge: CommitId): Promise<Span | null> {
  const { parents, tree } = await repo.commit(merge)
  const [main, branch] = parents
  if (main === undefined || branch === undefined || (await repo.commit(main)).tree !== tree) return null
  const before = await repo.mergeBase(main, branch)
  return before === null ? null : { before, after: branch, merge }
}

/** The merge commit on main: the service's, or else the first commit of main that contains the branch's head, if somebody merged it with plain Git. */
async function findMerge(app: App, space: LoadedSpace, { doc, head }: LoadedChangeRequest): Promise<CommitId | null> {
  const { repo } = space
  const recorded = doc.revisionMerged
  if (recorded !== undefined && (await repo.hasCommit(recorded))) {
    const info = await repo.commit(recorded as CommitId)
    if ((await mergedChangeRequest(app, space, info))?.id === doc.id) return info.id
  }
  const line = await repo.firstParents(headOf(space))
  // Binary search: main's commits are newest first, so those that contain the branch come before those that do not.
  let [has, lacks] = [-1, line.length]
  while (lacks - has > 1) {
    const middle = Math.floor((has + lacks) / 2)
    if (await repo.isAncestor(head, line[middle] as CommitId)) has = middle
    else lacks = middle
  }
  const oldest = line[has]
  return oldest !== undefined && oldest !== head && (await repo.commit(oldest)).parents.length > 1 ? oldest : null
}
