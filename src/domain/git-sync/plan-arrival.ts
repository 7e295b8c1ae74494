import type { MergeConflict, Repository } from '../../git/index.js'
import { type CommitId, isOid, type TreeId } from '../../kernel/ids.js'
import { changeRequests } from '../../model/index.js'
import { PAGE_IDS } from '../content/identity.js'
import { mergeCommits } from '../writing/merge.js'
import { ADOPTED } from '../refs.js'
import { chooseBase, type MergeBase } from './base.js'
import { SyncFailure } from './failure.js'
import { describeRemote, type SyncRemote } from './remote.js'
import type { Contact } from './sync.js'
import { isInStep, type SyncState } from './sync-refs.js'

/** The remote's head, fetched, the commit here that it equals, and what it meets. */
export interface Arrival {
  head: CommitId
  theirs: CommitId
  main: CommitId
  state: SyncState
}

/** What is to become of an arrival. */
export type Plan =
  /** Main has it; `equals` is to be recorded as the commit here that the head equals (null = it is). */
  | { kind: 'same'; equals: CommitId | null }
  /** Nobody has worked here: main becomes the remote's history as it is. */
  | { kind: 'adopt' }
  | { kind: 'merge'; base: MergeBase; tree: TreeId }
  | { kind: 'conflict'; base: MergeBase; conflicts: readonly MergeConflict[] }

/**
 * Decides what an import does with the remote's head: objects may be written, no ref and no document. Throws
 * `SyncFailure` where it must not come in.
 */
export async function planArrival(
  contact: Pick<Contact, 'app' | 'space' | 'remote'>,
  arrival: Arrival,
  options: { force: boolean; forExport: boolean },
): Promise<Plan> {
  const { app, space, remote } = contact
  const { repo } = space
  const { head, theirs, main, state } = arrival
  const [mine, came] = [await repo.commit(main), await repo.commit(theirs)]
  if (!options.force || mine.tree === came.tree) {
    if (await isInStep(repo, state, head)) return { kind: 'same', equals: state.last?.remote === head ? null : (state.equals.get(head) ?? theirs) }
    if (await contains(repo, arrival)) return { kind: 'same', equals: theirs }
  }
  if (await isUntouched(contact, main)) return { kind: 'adopt' }
  if (!options.force) await requireDocs(repo, remote, arrival, options.forExport)
  const everSynced = state.last === null ? await allSynced(repo) : new Map<string, CommitId>()
  const base = await chooseBase(repo, state, { main, head, theirs }, everSynced)
  const merged = options.force
    ? { clean: true as const, tree: came.tree }
    : await mergeCommits(app, space, { ours: main, theirs, ...(base.given && base.base ? { base: base.base } : {}) })
  if (!merged.clean) return { kind: 'conflict', base, conflicts: merged.conflicts }
  if (merged.tree === mine.tree) return { kind: 'same', equals: theirs }
  if (!options.force && !(await hasDocs(repo, merged.tree)) && (await hasDocs(repo, mine.tree))) throw noDocs(remote)
  return { kind: 'merge', base, tree: merged.tree }
}

/** Whether main has the remote's head by ancestry, and the head is no rewound or rewritten one whose drops are still to come. */
async function contains(repo: Repository, { head, theirs, main, state }: Arrival): Promise<boolean> {
  if (!(await repo.isAncestor(theirs, main))) return false
  if (state.last === null || (await repo.isAncestor(state.last.remote, head))) return true
  return !(await repo.isAncestor(theirs, state.last.local))
}

/** Nobody has worked here: main is the commit that the server began the space with, and there is no change request. */
async function isUntouched({ app, space }: Pick<Contact, 'app' | 'space'>, main: CommitId): Promise<boolean> {
  const first = await space.repo.commit(main)
  if (first.parents.length > 0 || first.headers[PAGE_IDS] === undefined || space.repo.head(ADOPTED) !== null) return false
  return (await app.store.count(changeRequests, 'space', space.doc.id)) === 0 && (await allSynced(space.repo)).size === 0
}

/** All pairs of remote commit and commit here, over all remotes. */
async function allSynced(repo: Repository): Promise<Map<string, CommitId>> {
  const refs = await repo.refs('refs/bindery/sync/')
  return new Map([...refs].map(([ref, commit]) => [ref.split('/').at(-1) as string, commit] as const).filter(([name]) => isOid(name)))
}

const noDocs = (remote: SyncRemote): SyncFailure =>
  new SyncFailure(
    `${describeRemote(remote)} holds no markdown file, so it does not replace the content of the space. Check the branch and folder, or use force to take it as it is.`,
  )

const hasDocs = async (repo: Repository, tree: TreeId): Promise<boolean> =>
  (await repo.diff(null, tree)).some((change) => /\.(md|markdown)$/i.test(change.path))

/** A tree without documents must not empty a space: content-format.md, "Remotes". */
async function requireDocs(repo: Repository, remote: SyncRemote, { main, theirs, state }: Arrival, forExport: boolean): Promise<void> {
  const docs = async (commit: CommitId): Promise<boolean> => hasDocs(repo, (await repo.commit(commit)).tree)
  if ((await docs(theirs)) || !(await docs(main))) return
  // A first meeting deletes nothing, so an export may go onto a repository that holds a licence alone.
  if (forExport && (state.last === null || !(await docs(state.last.local)))) return
  throw noDocs(remote)
}
