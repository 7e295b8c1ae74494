// Merges a change request's branch with main. Git computes the merge base from the history. For a conflict change
// request, the import may find a better one in the sync log: after crossing exports, or after a force push to the
// remote branch. That merge base is stored in a commit header.
import { createHmac } from 'node:crypto'
import type { CommitInfo } from '../../../git/index.js'
import { type CommitId, isOid } from '../../../kernel/ids.js'
import type { ChangeRequestDoc } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { joinedCommits, mergeCommits } from './merge.js'
import type { MergedTree } from './merged-tree.js'

/**
 * Header of the first commit of a conflict branch, and of each commit that merges a later remote head into it. It
 * contains the merge base that the import used (a parent of that commit), the head of main at that time, and a seal.
 */
const MERGE_BASE_HEADER = 'common-ground'

/** The merge base of a conflict branch and main, from the header. */
interface StatedBase {
  common: CommitId
  /** The head of main when the header was written. */
  main: CommitId
}

/**
 * Returns the seal, which proves that this server wrote the header. A remote commit can contain any header, and a
 * forged merge base could make a merge drop content.
 */
const sealOf = ({ settings }: App, space: string, { common, main }: StatedBase, on: string | undefined): string =>
  createHmac('sha256', settings.signingKey).update(['common ground', space, common, main, on].join('\n')).digest('hex')

/**
 * Returns the header for a merge base.
 * @param on first parent of the commit that gets the header
 */
export const groundHeader = (app: App, space: string, ground: StatedBase, on: CommitId): Record<string, string> => ({
  [MERGE_BASE_HEADER]: `${ground.common} ${ground.main} ${sealOf(app, space, ground, on)}`,
})

/** Reads the header of a commit. Returns null if there is none, or if this server did not seal it. */
function readHeader(app: App, space: string, { headers, parents }: CommitInfo): StatedBase | null {
  const [common = '', main = '', seal] = (headers[MERGE_BASE_HEADER] ?? '').split(' ')
  if (!isOid(common) || !isOid(main)) return null
  const ground = { common: common, main: main }
  return seal === sealOf(app, space, ground, parents[0]) ? ground : null
}

/**
 * Returns the merge base of a conflict branch and main from its header, joined with later commits that both contain.
 * Returns null if Git's own merge base applies: there is no header, main was reset, or branch and main have been merged
 * since.
 */
async function statedBaseOf(
  app: App,
  space: SpaceRepository,
  { main, head }: { main: CommitId; head: CommitId },
): Promise<CommitId | null> {
  const { repo, doc } = space
  const own = await repo.history.log({ from: head, not: [main], firstParent: true })
  const ground = own.map((info) => readHeader(app, doc.id, info)).find((one) => one !== null)
  if (!ground || !(await repo.objects.hasCommit(ground.common)) || !(await repo.objects.hasCommit(ground.main)))
    return null
  // main was reset to a commit before the header was written.
  if (!(await repo.history.isAncestor(ground.main, main))) return null
  const newer: CommitId[] = []
  for (const base of await repo.history.mergeBases(main, head)) {
    if (await repo.history.isAncestor(ground.main, base)) return null
    if (!(await repo.history.isAncestor(base, ground.common))) newer.push(base)
  }
  return joinedCommits(app, space, [ground.common, ...newer])
}

/** Merges main into a change request's branch, or the branch into main. Returns the result with its merge bases. */
export async function mergeOfBranch(
  app: App,
  space: SpaceRepository,
  { remoteKey }: Pick<ChangeRequestDoc, 'remoteKey'>,
  { main, head, into }: { main: CommitId; head: CommitId; into: 'main' | 'branch' },
): Promise<{ merged: MergedTree; bases: readonly CommitId[] }> {
  const sides = into === 'main' ? { ours: main, theirs: head } : { ours: head, theirs: main }
  const base = remoteKey === undefined ? null : await statedBaseOf(app, space, { main, head })
  if (base === null)
    return { merged: await mergeCommits(app, space, sides), bases: await space.repo.history.mergeBases(main, head) }
  return { merged: await mergeCommits(app, space, { ...sides, base }), bases: [base] }
}
