// Decides what becomes of a head of the remote: nothing, adoption, a merge, or a conflict. Imports and exports carry it out; previews only show it.
import type { MergeConflict, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { changeRequests } from '../../model/index.js'
import { PAGE_IDS } from '../revisions/identity.js'
import { type CommonGround, findCommonGround, NOTHING_IN_COMMON } from './merge-base.js'
import { SyncFailure } from './failure.js'
import { mergeArrival } from './merge-arrival.js'
import { describeRemote, type SyncRemote } from './remote.js'
import type { Contact } from './sync.js'
import { hasMetRemote } from './anchor-commits.js'
import type { SyncLog } from './log-entries.js'

/** A fetched head of the remote (`head`), the same commit here (`theirs`), and what it is merged with. */
export interface Arrival {
  head: CommitId
  theirs: CommitId
  main: CommitId
  log: SyncLog
}

/** What is to be done with an arrival. */
export type ArrivalPlan = { ground: CommonGround } & (
  | /** Main has it already; `local` is the commit here that the head equals. */ { kind: 'same'; local: CommitId }
  | /** The space has no content of its own yet: main becomes the remote's head. */ { kind: 'adopt' }
  | { kind: 'merge'; tree: TreeId }
  | /** `base`: the merge base that was used; null if it is the one that Git finds by itself. */ {
      kind: 'conflict'
      conflicts: readonly MergeConflict[]
      base: CommitId | null
      /** Whether the conflict rests on that merge base alone: in Git's history, one side contains the other. */
      contested: boolean
    }
)

/** Decides what an import does with the remote's head. Writes objects, but no ref and no document. Throws `SyncFailure` if it must not be imported. */
export async function planArrival(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  arrival: Arrival,
  options: { force: boolean; forExport: boolean },
): Promise<ArrivalPlan> {
  const { repo } = contact.space
  const { theirs, main, log } = arrival
  const [mine, came] = [await repo.commit(main), await repo.commit(theirs)]
  // The common ground of an untouched space is its first commit at most. To find that costs a walk through the whole history of the remote.
  if (mine.tree !== came.tree && (await isUnrelated(contact, main, log)))
    return { ground: NOTHING_IN_COMMON, kind: 'adopt' }
  const ground = await findCommonGround(repo, log, { main, theirs })
  if (mine.tree === came.tree) return { ground, kind: 'same', local: main }
  if (!options.force && ground.inStep)
    return { ground, kind: 'same', local: ground.bases.find((base) => base.theirs === theirs)?.local ?? theirs }
  if (await isUntouched(contact, main)) return { ground, kind: 'adopt' }
  if (options.force) return { ground, kind: 'merge', tree: came.tree }
  await requireDocs(repo, contact.remote, arrival, ground, options.forExport)
  const { merged, base, contested = false } = await mergeArrival(contact, ground, arrival)
  if (!merged.clean) return { ground, kind: 'conflict', conflicts: merged.conflicts, base, contested }
  if (!(await hasDocs(repo, merged.tree)) && (await hasDocs(repo, mine.tree))) throw noDocs(contact.remote)
  return { ground, kind: 'merge', tree: merged.tree }
}

/** Whether the space is untouched, and nothing of this remote was ever recorded in it. */
export const isUnrelated = async (
  contact: Pick<Contact, 'app' | 'space'>,
  main: CommitId,
  { entries }: SyncLog,
): Promise<boolean> => entries.length === 0 && (await isUntouched(contact, main))

/** Whether the space is as it was created: main is its first commit, there is no change request, and it was never synced. */
async function isUntouched({ app, space }: Pick<Contact, 'app' | 'space'>, main: CommitId): Promise<boolean> {
  const { repo } = space
  const first = await repo.commit(main)
  if (first.parents.length > 0 || first.headers[PAGE_IDS] === undefined) return false
  if ((await app.store.count(changeRequests, 'space', space.doc.id)) > 0) return false
  return !(await hasMetRemote(repo, main))
}

const noDocs = (remote: SyncRemote): SyncFailure =>
  new SyncFailure(
    `${describeRemote(remote)} has no markdown file, so it was not imported: it would empty the space. Check the branch and folder, or use force to import it as it is.`,
  )

const hasDocs = async (repo: Repository, tree: TreeId): Promise<boolean> =>
  (await repo.diff(null, tree)).some((change) => /\.(md|markdown)$/i.test(change.path))

/** Throws if a remote without any page would empty the space. */
async function requireDocs(
  repo: Repository,
  remote: SyncRemote,
  { main, theirs }: Arrival,
  { bases }: CommonGround,
  forExport: boolean,
): Promise<void> {
  const docs = async (commit: CommitId): Promise<boolean> => hasDocs(repo, (await repo.commit(commit)).tree)
  if ((await docs(theirs)) || !(await docs(main))) return
  // The first sync deletes nothing here, so an export may go to a repository that only has a licence, for example.
  const before = await Promise.all(bases.map((base) => docs(base.theirs)))
  if (forExport && !before.includes(true)) return
  throw noDocs(remote)
}
