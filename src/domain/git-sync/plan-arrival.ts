import type { MergeConflict, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { changeRequests } from '../../model/index.js'
import { PAGE_IDS } from '../revisions/identity.js'
import { type CommonGround, findCommonGround } from './common-ground.js'
import { SyncFailure } from './failure.js'
import { mergeArrival } from './merge-arrival.js'
import { describeRemote, type SyncRemote } from './remote.js'
import type { Contact } from './sync.js'
import { hasMetRemote } from './sync-log.js'
import type { SyncLog } from './log-entries.js'

/** The remote's head, fetched, the commit here that it equals, and what it meets. */
export interface Arrival {
  head: CommitId
  theirs: CommitId
  main: CommitId
  log: SyncLog
}

/** What is to become of an arrival. */
export type Plan = { ground: CommonGround } & (
  | /** Main has it; `local` is the commit here that the head equals. */ { kind: 'same'; local: CommitId }
  | /** Nobody has worked here: main becomes the remote's history as it is. */ { kind: 'adopt' }
  | { kind: 'merge'; tree: TreeId }
  | /** `base`: what the merge started from; null = what Git itself finds. */ { kind: 'conflict'; conflicts: readonly MergeConflict[]; base: CommitId | null }
)

/**
 * Decides what an import does with the remote's head: objects may be written, no ref and no document. Throws
 * `SyncFailure` where it must not come in.
 */
export async function planArrival(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  arrival: Arrival,
  options: { force: boolean; forExport: boolean },
): Promise<Plan> {
  const { repo } = contact.space
  const { theirs, main, log } = arrival
  const [mine, came] = [await repo.commit(main), await repo.commit(theirs)]
  const ground = await findCommonGround(repo, log, { main, theirs })
  if (mine.tree === came.tree) return { ground, kind: 'same', local: main }
  if (!options.force && ground.inStep) return { ground, kind: 'same', local: ground.bases.find((base) => base.theirs === theirs)?.local ?? theirs }
  if (await isUntouched(contact, main)) return { ground, kind: 'adopt' }
  if (options.force) return { ground, kind: 'merge', tree: came.tree }
  await requireDocs(repo, contact.remote, arrival, ground, options.forExport)
  const { merged, base } = await mergeArrival(contact, ground, arrival)
  if (!merged.clean) return { ground, kind: 'conflict', conflicts: merged.conflicts, base }
  if (!(await hasDocs(repo, merged.tree)) && (await hasDocs(repo, mine.tree))) throw noDocs(contact.remote)
  return { ground, kind: 'merge', tree: merged.tree }
}

/** Nobody has worked here: main is the commit that the server began the space with, there is no change request, and no remote was met. */
async function isUntouched({ app, space }: Pick<Contact, 'app' | 'space'>, main: CommitId): Promise<boolean> {
  const { repo } = space
  const first = await repo.commit(main)
  if (first.parents.length > 0 || first.headers[PAGE_IDS] === undefined) return false
  if ((await app.store.count(changeRequests, 'space', space.doc.id)) > 0) return false
  return !(await hasMetRemote(repo, main))
}

const noDocs = (remote: SyncRemote): SyncFailure =>
  new SyncFailure(
    `${describeRemote(remote)} holds no markdown file, so it does not replace the content of the space. Check the branch and folder, or use force to take it as it is.`,
  )

const hasDocs = async (repo: Repository, tree: TreeId): Promise<boolean> =>
  (await repo.diff(null, tree)).some((change) => /\.(md|markdown)$/i.test(change.path))

/** A tree without documents must not empty a space: content-format.md, "Remotes". */
async function requireDocs(repo: Repository, remote: SyncRemote, { main, theirs }: Arrival, { bases }: CommonGround, forExport: boolean): Promise<void> {
  const docs = async (commit: CommitId): Promise<boolean> => hasDocs(repo, (await repo.commit(commit)).tree)
  if ((await docs(theirs)) || !(await docs(main))) return
  // A first meeting deletes nothing, so an export may go onto a repository that holds a licence alone.
  const before = await Promise.all(bases.map((base) => docs(base.theirs)))
  if (forExport && !before.includes(true)) return
  throw noDocs(remote)
}
