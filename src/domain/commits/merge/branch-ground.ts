import { createHmac } from 'node:crypto'
import type { CommitInfo } from '../../../git/index.js'
import { type CommitId, isOid } from '../../../kernel/ids.js'
import type { ChangeRequestDoc } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import type { LoadedSpace } from '../../context/loaded.js'
import { joinedCommits } from './joined-base.js'
import { mergeCommits } from './merge.js'
import type { MergedTree } from './merged-tree.js'

/**
 * Header of the first commit of a conflict's branch, and of one that takes in a later head: what the import found that head and main to have in
 * common (a parent of that commit), the main of which it said so, and a seal. Git's history alone does not tell it where the sync log knows more (exports that crossed, a remote forced back).
 */
const COMMON_GROUND = 'common-ground'

interface Ground {
  common: CommitId
  /** Main, when it was said. */
  main: CommitId
}

/** A commit of the remote may have any header, and what it says would decide what a merge drops: only what this server sealed counts. */
const sealOf = ({ settings }: App, space: string, { common, main }: Ground, on: string | undefined): string =>
  createHmac('sha256', settings.signingKey).update(['common ground', space, common, main, on].join('\n')).digest('hex')

/** @param on first parent of the commit that is to have the header */
export const groundHeader = (app: App, space: string, ground: Ground, on: CommitId): Record<string, string> => ({
  [COMMON_GROUND]: `${ground.common} ${ground.main} ${sealOf(app, space, ground, on)}`,
})

function groundIn(app: App, space: string, { headers, parents }: CommitInfo): Ground | null {
  const [common = '', main = '', seal] = (headers[COMMON_GROUND] ?? '').split(' ')
  if (!isOid(common) || !isOid(main)) return null
  const ground = { common: common as CommitId, main: main as CommitId }
  return seal === sealOf(app, space, ground, parents[0]) ? ground : null
}

/**
 * The commit to merge a branch and main on, where the branch says it: what was recorded when it began, until one has taken up the other; beside it
 * what both have come to have in common since. null = what Git itself finds.
 */
async function groundOf(app: App, space: Pick<LoadedSpace, 'doc' | 'repo'>, { main, head }: { main: CommitId; head: CommitId }): Promise<CommitId | null> {
  const { repo, doc } = space
  const own = await repo.history({ from: head, not: [main], firstParent: true })
  const ground = own.map((info) => groundIn(app, doc.id, info)).find((one) => one !== null)
  if (!ground || !(await repo.hasCommit(ground.common)) || !(await repo.hasCommit(ground.main))) return null
  // Main was set back behind it since.
  if (!(await repo.isAncestor(ground.main, main))) return null
  const beside: CommitId[] = []
  for (const base of await repo.mergeBases(main, head)) {
    if (await repo.isAncestor(ground.main, base)) return null
    if (!(await repo.isAncestor(base, ground.common))) beside.push(base)
  }
  return joinedCommits(app, space, [ground.common, ...beside], mergeCommits)
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
