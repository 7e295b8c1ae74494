// Merges a change request's branch with main. Git finds their merge base from history, but for the change request of a sync's conflict the import
// may know a better one from the sync log (exports that crossed, a branch of the remote that was forced back). It is kept in a commit header.
import { createHmac } from 'node:crypto'
import type { CommitInfo } from '../../../git/index.js'
import { type CommitId, isOid } from '../../../kernel/ids.js'
import type { ChangeRequestDoc } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { joinedCommits } from './virtual-base.js'
import { mergeCommits } from './merge.js'
import type { MergedTree } from './merged-tree.js'

/**
 * Header of the first commit of a conflict's branch, and of one that merges a later head into it: the merge base that the import used (it is a parent
 * of that commit), the head of main at that moment, and a seal.
 */
const COMMON_GROUND = 'common-ground'

/** The merge base of a conflict's branch and main, as the header states it. */
interface Ground {
  common: CommitId
  /** The head of main when it was written. */
  main: CommitId
}

/** The seal shows that this server wrote the header. A commit of the remote could have any header, and the merge base decides what a merge drops. */
const sealOf = ({ settings }: App, space: string, { common, main }: Ground, on: string | undefined): string =>
  createHmac('sha256', settings.signingKey).update(['common ground', space, common, main, on].join('\n')).digest('hex')

/**
 * The header that states a merge base.
 * @param on first parent of the commit that is to have the header
 */
export const groundHeader = (app: App, space: string, ground: Ground, on: CommitId): Record<string, string> => ({
  [COMMON_GROUND]: `${ground.common} ${ground.main} ${sealOf(app, space, ground, on)}`,
})

/** Reads the header of a commit; null if it has none that this server sealed. */
function groundIn(app: App, space: string, { headers, parents }: CommitInfo): Ground | null {
  const [common = '', main = '', seal] = (headers[COMMON_GROUND] ?? '').split(' ')
  if (!isOid(common) || !isOid(main)) return null
  const ground = { common: common as CommitId, main: main as CommitId }
  return seal === sealOf(app, space, ground, parents[0]) ? ground : null
}

/**
 * The merge base of a conflict's branch and main that its header states, joined with what both have got in common since. Null if Git's own merge
 * base is to be used: there is no header, main was set back, or branch and main have been merged since.
 */
async function groundOf(
  app: App,
  space: SpaceRepository,
  { main, head }: { main: CommitId; head: CommitId },
): Promise<CommitId | null> {
  const { repo, doc } = space
  const own = await repo.history({ from: head, not: [main], firstParent: true })
  const ground = own.map((info) => groundIn(app, doc.id, info)).find((one) => one !== null)
  if (!ground || !(await repo.hasCommit(ground.common)) || !(await repo.hasCommit(ground.main))) return null
  // Somebody set main back to before the header was written.
  if (!(await repo.isAncestor(ground.main, main))) return null
  const beside: CommitId[] = []
  for (const base of await repo.mergeBases(main, head)) {
    if (await repo.isAncestor(ground.main, base)) return null
    if (!(await repo.isAncestor(base, ground.common))) beside.push(base)
  }
  return joinedCommits(app, space, [ground.common, ...beside], mergeCommits)
}

/** Merges main into a change request's branch, or the branch into main. Returns the merge bases too. */
export async function mergeOfBranch(
  app: App,
  space: SpaceRepository,
  { remoteKey }: Pick<ChangeRequestDoc, 'remoteKey'>,
  { main, head, into }: { main: CommitId; head: CommitId; into: 'main' | 'branch' },
): Promise<{ merged: MergedTree; bases: readonly CommitId[] }> {
  const sides = into === 'main' ? { ours: main, theirs: head } : { ours: head, theirs: main }
  const base = remoteKey === undefined ? null : await groundOf(app, space, { main, head })
  if (base === null)
    return { merged: await mergeCommits(app, space, sides), bases: await space.repo.mergeBases(main, head) }
  return { merged: await mergeCommits(app, space, { ...sides, base }), bases: [base] }
}
