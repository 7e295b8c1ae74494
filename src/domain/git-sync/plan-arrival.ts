// Decides how a remote head is imported: not at all, by adoption, by a merge, or as a conflict. Imports and exports
// apply the plan; previews only show it.
import type { MergeConflict, Repository } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { changeRequests } from '../../model/index.js'
import { PAGE_IDS } from '../revisions/identity.js'
import { type MergeBaseResult, findMergeBase, NO_MERGE_BASE } from './merge-base.js'
import { SyncFailure } from './failure.js'
import { mergeArrival } from './merge-arrival.js'
import { withFollowersThere } from './merges-there.js'
import { describeRemote, type SyncRemote } from './remote.js'
import type { Contact } from './sync.js'
import { type SyncLog, wasEverSynced } from './log-entries.js'
import type { SyncState } from './sync-log.js'

/** A fetched remote head (`head`), the equal local commit (`theirs`), and the main and log that it is merged with. */
export interface Arrival extends SyncState {
  head: CommitId
  theirs: CommitId
}

/** The decision about an arrival. */
export type ArrivalPlan = { mergeBase: MergeBaseResult } & (
  | /** Main already has it. `local` is the local commit that the head equals. */ { kind: 'same'; local: CommitId }
  | /** The space has no content of its own yet: main becomes the remote's head. */ { kind: 'adopt' }
  | { kind: 'merge'; tree: TreeId }
  | /** `base`: the merge base that was used; null if Git's own merge base was used. */ {
      kind: 'conflict'
      conflicts: readonly MergeConflict[]
      base: CommitId | null
      /** Whether the conflict rests only on that merge base: in Git's history, one side contains the other. */
      contested: boolean
    }
)

/**
 * Decides what an import does with the remote head. Writes objects, but no ref and no document. Throws `SyncFailure` if
 * it must not be imported.
 */
export async function planArrival(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  arrival: Arrival,
  options: { force: boolean; forExport: boolean },
): Promise<ArrivalPlan> {
  const { repo } = contact.space
  const { theirs, main, log } = arrival
  const [mine, arrived] = [await repo.objects.commit(main), await repo.objects.commit(theirs)]
  // An untouched space can share at most its first commit. Finding that would walk through the whole history of the
  // remote.
  if (mine.tree !== arrived.tree && (await isUnrelated(contact, main, log)))
    return { mergeBase: NO_MERGE_BASE, kind: 'adopt' }
  const mergeBase = await findMergeBase(repo, log, { main, theirs })
  if (mine.tree === arrived.tree) return { mergeBase, kind: 'same', local: main }
  if (!options.force && mergeBase.upToDate)
    return { mergeBase, kind: 'same', local: mergeBase.bases.find((base) => base.theirs === theirs)?.local ?? theirs }
  if (await isUntouched(contact, main)) return { mergeBase, kind: 'adopt' }
  if (options.force) return { mergeBase, kind: 'merge', tree: arrived.tree }
  await requireDocs(repo, contact.remote, arrival, mergeBase, options.forExport)
  const { merged, base, contested = false } = await mergeArrival(contact, mergeBase, arrival)
  if (!merged.clean) return { mergeBase, kind: 'conflict', conflicts: merged.conflicts, base, contested }
  if (!(await hasDocs(repo, merged.tree)) && (await hasDocs(repo, mine.tree))) throw noDocs(contact.remote)
  return { mergeBase, kind: 'merge', tree: await withFollowersThere(contact, arrival, mergeBase, merged.tree) }
}

/** Whether the space is untouched and its log has no entry for this remote. */
export const isUnrelated = async (
  contact: Pick<Contact, 'app' | 'space'>,
  main: CommitId,
  { entries }: SyncLog,
): Promise<boolean> => entries.length === 0 && (await isUntouched(contact, main))

/**
 * Whether the space is as it was created: main is its first commit, there is no change request, and it was never
 * synced.
 */
async function isUntouched({ app, space }: Pick<Contact, 'app' | 'space'>, main: CommitId): Promise<boolean> {
  const { repo } = space
  const first = await repo.objects.commit(main)
  if (first.parents.length > 0 || first.headers[PAGE_IDS] === undefined) return false
  if ((await app.store.count(changeRequests, 'space', space.doc.id)) > 0) return false
  return !(await wasEverSynced(repo, main))
}

const noDocs = (remote: SyncRemote): SyncFailure =>
  new SyncFailure(
    `${describeRemote(remote)} has no Markdown file. It was not imported because that would empty the space. Check the branch and folder, or use force to import it anyway.`,
  )

const hasDocs = async (repo: Repository, tree: TreeId): Promise<boolean> =>
  (await repo.trees.diff(null, tree)).some((change) => /\.(md|markdown)$/i.test(change.path))

/** Throws if a remote without any page would empty the space. */
async function requireDocs(
  repo: Repository,
  remote: SyncRemote,
  { main, theirs }: Arrival,
  { bases }: MergeBaseResult,
  forExport: boolean,
): Promise<void> {
  const docs = async (commit: CommitId): Promise<boolean> => hasDocs(repo, (await repo.objects.commit(commit)).tree)
  if ((await docs(theirs)) || !(await docs(main))) return
  // The first sync deletes nothing here, so an export may go to a repository that contains only a license, for example.
  const before = await Promise.all(bases.map((base) => docs(base.theirs)))
  if (forExport && !before.includes(true)) return
  throw noDocs(remote)
}
