import { type CommitId, isOid } from '../../kernel/ids.js'
import type { ChangeRequestDoc } from '../../model/index.js'
import type { App, LoadedSpace } from '../app.js'
import { joinedCommits } from './joined-base.js'
import { type MergedTree, mergeCommits } from './merge.js'

/**
 * Header of the first commit of a conflict's branch: what the import found that branch and main to have in common, a parent of that commit, and the
 * main of which it said so. Git's history alone does not tell it where the sync log knows more (exports that crossed, a remote forced back).
 */
const COMMON_GROUND = 'common-ground'

export const groundHeader = (common: CommitId, main: CommitId): Record<string, string> => ({ [COMMON_GROUND]: `${common} ${main}` })

/**
 * The commit to merge a branch and main on, where the branch says it: what was recorded when it began, until one has taken up the other; beside it
 * what both have come to have in common since. null = what Git itself finds.
 */
async function groundOf(app: App, space: Pick<LoadedSpace, 'doc' | 'repo'>, { main, head }: { main: CommitId; head: CommitId }): Promise<CommitId | null> {
  const { repo } = space
  const own = await repo.history({ from: head, not: [main], firstParent: true })
  const header = own.find(({ headers }) => headers[COMMON_GROUND] !== undefined)?.headers[COMMON_GROUND] ?? ''
  const [common, then] = header.split(' ').filter(isOid) as CommitId[]
  if (common === undefined || then === undefined || !(await repo.hasCommit(common)) || !(await repo.hasCommit(then))) return null
  // Main was set back behind it since.
  if (!(await repo.isAncestor(then, main))) return null
  const beside: CommitId[] = []
  for (const base of await repo.mergeBases(main, head)) {
    if (await repo.isAncestor(then, base)) return null
    if (!(await repo.isAncestor(base, common))) beside.push(base)
  }
  return joinedCommits(app, space, [common, ...beside], mergeCommits)
}

/** The merge of main into a change request's branch, or of the branch into main, with the newest commits that both have. */
export async function mergeOfBranch(
  app: App,
  space: Pick<LoadedSpace, 'doc' | 'repo'>,
  { remoteKey }: Pick<ChangeRequestDoc, 'remoteKey'>,
  { main, head, into }: { main: CommitId; head: CommitId; into: 'main' | 'branch' },
): Promise<{ merged: MergedTree; bases: readonly CommitId[] }> {
  const sides = into === 'main' ? { ours: main, theirs: head } : { ours: head, theirs: main }
  const base = remoteKey === undefined ? null : await groundOf(app, space, { main, head })
  if (base === null) return { merged: await mergeCommits(app, space, sides), bases: await space.repo.mergeBases(main, head) }
  return { merged: await mergeCommits(app, space, { ...sides, base }), bases: [base] }
}
