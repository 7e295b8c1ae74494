// States the merge base in a commit of a conflict branch, so that the change request has the same conflicts as the
// import.
import type { CommitId } from '../../kernel/ids.js'
import { overridesAt } from '../revisions/identity.js'
import { groundHeader } from '../commits/merge/branch-merge.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { joinedBase } from '../commits/merge/merge.js'
import { isKnown, type SyncLog } from './log-entries.js'
import type { Arrival } from './plan-arrival.js'
import { describeRemote } from './remote.js'
import type { Sync } from './sync.js'

/** A stated merge base: the commit that becomes a parent, and the header that names it. */
interface StatedBase {
  common: CommitId
  headers: Record<string, string>
}

/**
 * Returns the import's merge base for the first commit of the branch. Returns null if Git chooses the same one when it
 * merges the branch.
 * @param on first parent of the commit that states the merge base
 */
export async function baseForFirstHead(
  sync: Sync,
  { main, head, base, on }: { main: CommitId; head: CommitId; base: CommitId | null; on: CommitId },
): Promise<StatedBase | null> {
  const { app, space } = sync
  const { repo } = space
  if (base === null) return null
  const byGit = await joinedBase(app, space, { ours: main, theirs: head })
  if (byGit !== null && (await repo.objects.commit(byGit)).tree === (await repo.objects.commit(base)).tree) return null
  return stateBase(sync, { main, base, on, within: await repo.history.mergeBases(main, head) })
}

/**
 * Returns the import's merge base for a later head, which is about to be merged into the branch. If the branch was
 * updated from main, the import's merge base does not contain that part of main, which stays a separate merge base.
 * @param joined the parents of that merge other than the branch
 */
export async function baseForLaterHead(
  sync: Sync,
  { main, theirs, log, branch, base }: Arrival & { branch: CommitId; base: CommitId | null },
  joined: readonly CommitId[],
): Promise<StatedBase | null> {
  const { repo } = sync.space
  if (base === null || joined.length === 0) return null
  const first = await firstCommitOf(sync, log, branch)
  const within: CommitId[] = []
  for (const head of [branch, theirs])
    for (const one of await repo.history.mergeBases(main, head))
      if (
        !within.includes(one) &&
        ((await repo.history.isAncestor(one, theirs)) ||
          (first !== null && (await repo.history.isAncestor(one, first))))
      )
        within.push(one)
  return stateBase(sync, { main, base, on: branch, within })
}

/** Returns the first commit of the open conflict's branch. Returns null if the log no longer has it. */
async function firstCommitOf(
  { space: { repo }, remote }: Sync,
  log: SyncLog,
  branch: CommitId,
): Promise<CommitId | null> {
  for (const entry of log.entries) {
    if (
      !isKnown(entry) ||
      entry.ref !== remote.ref ||
      log.counting.includes(entry) ||
      !(await repo.objects.hasCommit(entry.anchor))
    )
      continue
    if (await repo.history.isAncestor(entry.anchor, branch)) return entry.anchor
  }
  return null
}

/** @param within the merge bases of main and the branch that `base` contains */
async function stateBase(
  { app, space, remote, actor }: Sync,
  { main, base, on, within }: { main: CommitId; base: CommitId; on: CommitId; within: readonly CommitId[] },
): Promise<StatedBase> {
  const common = await makeCommit(app, space, {
    parents: within,
    changes: [],
    tree: (await space.repo.objects.commit(base)).tree,
    message: commitMessage(`Merge base of ${describeRemote(remote)} and this space`),
    author: actor.user,
    overrides: await overridesAt(app, space, base),
  })
  return { common, headers: groundHeader(app, space.doc.id, { common, main }, on) }
}
