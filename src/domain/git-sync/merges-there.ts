/**
 * Finds the commits in which people on the remote merged an export with other commits. Git made these merges, so pages
 * that one side added are at their old paths if the other side moved the root.
 */
import type { FileChange, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { CONFIG_FILE } from '../../content/known-files.js'
import { followersOfPlainMerge } from '../commits/merge/followed-folders.js'
import { type Entry, isExport, type SyncLog } from './log-entries.js'
import type { MergeBaseResult } from './merge-base.js'
import type { Contact } from './sync.js'

/** Maximum number of the newest new commits in which merges of exports are searched. */
const MAX_NEW_COMMITS = 500

/** A head that is imported, and the log of what was exported before. */
interface ArrivingHead {
  theirs: CommitId
  log: SyncLog
}

/** The two commits that were merged. */
interface Merge {
  ours: CommitId
  theirs: CommitId
}

/** Returns the tree of an import with its files moved that merges on the remote left outside a moved root. */
export async function withFollowersThere(
  { app, space }: Pick<Contact, 'app' | 'space'>,
  arrival: ArrivingHead,
  mergeBase: MergeBaseResult,
  tree: TreeId,
): Promise<TreeId> {
  const { repo } = space
  let result = tree
  for (const merge of await mergesOfExports(repo, arrival, mergeBase)) {
    const changes: FileChange[] = await followersOfPlainMerge(app, space, merge, result)
    if (changes.length > 0) result = await repo.trees.draft(result, changes)
  }
  return result
}

/**
 * Returns the new commits of the head that merge an export with another configuration: merge commits, and commits that
 * repeat an export.
 */
async function mergesOfExports(
  repo: Repository,
  { theirs, log }: ArrivingHead,
  { equivalents, integrated }: MergeBaseResult,
): Promise<Merge[]> {
  const exports = log.syncPoints.filter(isExport)
  if (exports.length === 0) return []
  const found: Merge[] = []
  for (const { commit, syncPoint } of equivalents) {
    const [ours] = (await repo.objects.commit(commit)).parents
    const merge = ours !== undefined && isExport(syncPoint) ? { ours, theirs: syncPoint.theirs } : null
    if (merge !== null && !(await hasSameConfig(repo, merge))) found.push(merge)
  }
  for (const { parents } of (
    await repo.history.log({ from: theirs, not: integrated, limit: MAX_NEW_COMMITS })
  ).reverse()) {
    const [ours, other] = parents
    if (ours === undefined || other === undefined) continue
    const merge = { ours, theirs: other }
    if (!(await hasSameConfig(repo, merge)) && (await bringsExport(repo, exports, merge))) found.push(merge)
  }
  return found
}

/** Whether only one of the two commits contains an export. */
async function bringsExport(repo: Repository, exports: readonly Entry[], { ours, theirs }: Merge): Promise<boolean> {
  for (const { theirs: one } of exports)
    if ((await repo.history.isAncestor(one, ours)) !== (await repo.history.isAncestor(one, theirs))) return true
  return false
}

async function hasSameConfig(repo: Repository, { ours, theirs }: Merge): Promise<boolean> {
  const [mine, other] = [await repo.objects.snapshot(ours), await repo.objects.snapshot(theirs)]
  return (await mine.entry(CONFIG_FILE))?.oid === (await other.entry(CONFIG_FILE))?.oid
}
