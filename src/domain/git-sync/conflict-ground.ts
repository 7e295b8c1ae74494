import type { CommitId } from '../../kernel/ids.js'
import { overridesAt } from '../revisions/identity.js'
import { groundHeader } from '../commits/merge/branch-ground.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { joinedBase } from '../commits/merge/joined-base.js'
import { mergeCommits } from '../commits/merge/merge.js'
import { isKnown, type SyncLog } from './log-entries.js'
import type { Arrival } from './plan-arrival.js'
import { describeRemote } from './remote.js'
import type { Sync } from './sync.js'

/** What the merge of a conflict's branch is to start from: a commit that becomes a parent, and the header that names it. */
export interface SaidGround {
  common: CommitId
  headers: Record<string, string>
}

/**
 * What the import started from, where Git alone would not start from it when the branch is merged: so the change request collides where the
 * import does. null = Git finds it.
 * @param on first parent of the commit that is to say it
 */
export async function saidGround(
  sync: Sync,
  { main, head, base, on }: { main: CommitId; head: CommitId; base: CommitId | null; on: CommitId },
): Promise<SaidGround | null> {
  const { app, space } = sync
  const { repo } = space
  if (base === null) return null
  const byGit = await joinedBase(app, space, { ours: main, theirs: head }, mergeCommits)
  if (byGit !== null && (await repo.commit(byGit)).tree === (await repo.commit(base)).tree) return null
  return say(sync, { main, base, on, within: await repo.mergeBases(main, head) })
}

/**
 * The same for a later head, which is about to be merged into the branch. What the branch has of main by an update of its own is not in the import's
 * ground, and stays beside it.
 * @param joined the parents of that merge beside the branch
 */
export async function laterGround(
  sync: Sync,
  { main, theirs, log, branch, base }: Arrival & { branch: CommitId; base: CommitId | null },
  joined: readonly CommitId[],
): Promise<SaidGround | null> {
  const { repo } = sync.space
  if (base === null || joined.length === 0) return null
  const first = await firstOf(sync, log, branch)
  const within: CommitId[] = []
  for (const head of [branch, theirs])
    for (const one of await repo.mergeBases(main, head))
      if (!within.includes(one) && ((await repo.isAncestor(one, theirs)) || (first !== null && (await repo.isAncestor(one, first))))) within.push(one)
  return say(sync, { main, base, on: branch, within })
}

/** Where the branch of the conflict under way began; null where the log does not say it any more. */
async function firstOf({ space: { repo }, remote }: Sync, log: SyncLog, branch: CommitId): Promise<CommitId | null> {
  for (const entry of log.entries) {
    if (!isKnown(entry) || entry.ref !== remote.ref || log.counting.includes(entry) || !(await repo.hasCommit(entry.anchor))) continue
    if (await repo.isAncestor(entry.anchor, branch)) return entry.anchor
  }
  return null
}

/** @param within newest commits that main and the branch have in common, which `base` holds */
async function say(
  { app, space, remote, actor }: Sync,
  { main, base, on, within }: { main: CommitId; base: CommitId; on: CommitId; within: readonly CommitId[] },
): Promise<SaidGround> {
  const { doc, repo } = space
  const common = await makeCommit(app, doc.id, repo, {
    parents: within,
    changes: [],
    tree: (await repo.commit(base)).tree,
    message: commitMessage(`What ${describeRemote(remote)} and the content here have in common`),
    author: actor.user,
    overrides: await overridesAt(app, doc.id, repo, base),
  })
  return { common, headers: groundHeader(app, doc.id, { common, main }, on) }
}
