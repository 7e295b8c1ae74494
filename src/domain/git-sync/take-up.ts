import { type RefMove, type Repository, StaleRef } from '../../git/index.js'
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { isOid } from '../../kernel/ids.js'
import { changeRequests, spaces } from '../../model/index.js'
import { commitMessage, makeCommit } from '../commits.js'
import { mergedOverrides, overridesAt, PAGE_IDS, rememberOverrides } from '../identity.js'
import { resolveChanges } from '../identity-changes.js'
import { mergeCommits } from '../merge.js'
import { ADOPTED, keepRef, MAIN } from '../refs.js'
import { chooseBase, type MergeBase } from './base.js'
import { holdConflict, settleConflict } from './conflict.js'
import { localCommit } from './directory.js'
import { SyncFailure } from './failure.js'
import { describeRemote } from './remote.js'
import type { Outcome, Sync } from './sync.js'
import { isInStep, readSyncState, recordMoves, type SyncState } from './sync-refs.js'

const ATTEMPTS = 8

/** The remote's head, fetched, and the commit here that it equals. */
export interface Arrival {
  head: CommitId
  theirs: CommitId
}

/**
 * Brings the remote's head into main: adopts it, merges it, or holds it in a conflict change request. The move of main
 * is the commit point. Throws `SyncFailure` where it must not come in.
 */
export async function takeUp(sync: Sync, head: CommitId, options: { force: boolean; forExport: boolean }): Promise<Outcome> {
  const { app, space, remote } = sync
  await sync.enter('checking')
  const theirs = await localCommit(space.repo, await readSyncState(space.repo, remote.key), remote.directory, head)
  if (theirs === null)
    throw new SyncFailure(`${describeRemote(remote)} has no folder ${remote.directory}/. Correct repoProjectDirectory, or export first to make the folder.`)
  await sync.enter('merging')
  return app.locks.run(space.doc.id, async () => {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(sync, { head, theirs }, options)
      } catch (error) {
        if (!(error instanceof StaleRef) || tries >= ATTEMPTS) throw error
      }
    }
  })
}

async function attempt(sync: Sync, arrival: Arrival, options: { force: boolean; forExport: boolean }): Promise<Outcome> {
  const { app, remote } = sync
  const { repo } = sync.space
  const { head, theirs } = arrival
  const state = await readSyncState(repo, remote.key)
  const main = repo.head(MAIN)
  if (main === null) throw new SyncFailure('The branch main of the space is missing; an administrator removed it.')
  const same = async (moves: RefMove[]): Promise<Outcome> => {
    if (moves.length > 0) await repo.move(moves, `in step with ${describeRemote(remote)}`)
    await settleConflict(sync, 'The remote and the main content are in step.')
    return { result: 'unchanged', revision: main, remoteRevision: head }
  }
  const [mine, came] = [await repo.commit(main), await repo.commit(theirs)]
  if (!options.force || mine.tree === came.tree) {
    if (await isInStep(repo, state, head)) return same(state.last?.remote === head ? [] : recordMoves(repo, state, head, state.equals.get(head) ?? theirs))
    if (await contains(repo, state, main, arrival)) return same(recordMoves(repo, state, head, theirs))
  }
  const space = await app.store.get(spaces, sync.space.doc.id)
  if (space?.editMode === 'locked')
    throw new SyncFailure('The space is locked, and the remote has changes that are not here. Set its editMode to live, then start again.')
  if (await isUntouched(sync, main)) return adopt(sync, state, main, arrival)
  if (!options.force) await requireDocs(sync, state, main, theirs, options.forExport)
  const everSynced = state.last === null ? await allSynced(repo) : new Map<string, CommitId>()
  const base = await chooseBase(repo, state, { main, head, theirs }, everSynced)
  const merged = options.force
    ? { clean: true as const, tree: came.tree }
    : await mergeCommits(app, sync.space, { ours: main, theirs, ...(base.given && base.base ? { base: base.base } : {}) })
  if (!merged.clean) return holdConflict(sync, { ...arrival, main, base, conflicts: merged.conflicts })
  if (merged.tree === mine.tree) return same(recordMoves(repo, state, head, theirs))
  if (!options.force && !(await hasDocs(repo, merged.tree)) && (await hasDocs(repo, mine.tree))) throw noDocs(sync)
  const commit = await mergeCommit(sync, main, arrival, base, merged.tree)
  await repo.move([...recordMoves(repo, state, head, theirs), { ref: MAIN, from: main, to: commit }], `merge ${describeRemote(remote)}`)
  await settleConflict(sync, options.force ? 'A forced import took the content of the remote.' : 'A later import could be merged cleanly.')
  return { result: 'merged', revision: commit, remoteRevision: head }
}

/** Whether main has the remote's head by ancestry, and the head is no rewound or rewritten one whose drops are still to come. */
async function contains(repo: Repository, state: SyncState, main: CommitId, { head, theirs }: Arrival): Promise<boolean> {
  if (!(await repo.isAncestor(theirs, main))) return false
  if (state.last === null || (await repo.isAncestor(state.last.remote, head))) return true
  return !(await repo.isAncestor(theirs, state.last.local))
}

async function mergeCommit(sync: Sync, main: CommitId, { theirs }: Arrival, { base }: MergeBase, tree: TreeId): Promise<CommitId> {
  const { app, space, remote, run } = sync
  await rememberTheirs(sync, base, theirs)
  return makeCommit(app, space.doc.id, space.repo, {
    parents: [main, theirs],
    changes: [],
    tree,
    message: commitMessage(`${run.force && run.direction === 'import' ? 'Take' : 'Merge'} remote changes from ${describeRemote(remote)}`),
    author: sync.actor.user,
    overrides: await mergedOverrides(app, space.doc.id, space.repo, base, main, theirs, tree),
  })
}

/** The IDs of what arrives follow from those of the commit here that it is based on. */
export async function rememberTheirs(sync: Sync, base: CommitId | null, theirs: CommitId): Promise<void> {
  if (base === null) return
  const { app, space } = sync
  const { repo } = space
  rememberOverrides(app, space.doc.id, theirs, await resolveChanges(repo, await overridesAt(app, space.doc.id, repo, base), base, theirs))
}

/** Nobody has worked here: main is the commit that the server began the space with, and there is no change request. */
async function isUntouched(sync: Sync, main: CommitId): Promise<boolean> {
  const { app, space } = sync
  const first = await space.repo.commit(main)
  if (first.parents.length > 0 || first.headers[PAGE_IDS] === undefined || space.repo.head(ADOPTED) !== null) return false
  return (await app.store.count(changeRequests, 'space', space.doc.id)) === 0 && (await allSynced(space.repo)).size === 0
}

/** Main becomes the remote's history as it is. */
async function adopt(sync: Sync, state: SyncState, main: CommitId, { head, theirs }: Arrival): Promise<Outcome> {
  const { repo } = sync.space
  const moves: RefMove[] = [
    ...(repo.head(keepRef(main)) === null ? [{ ref: keepRef(main), from: null, to: main }] : []),
    ...recordMoves(repo, state, head, theirs),
    { ref: ADOPTED, from: null, to: theirs },
    { ref: MAIN, from: main, to: theirs },
  ]
  await repo.move(moves, `adopt ${describeRemote(sync.remote)}`)
  return { result: 'adopted', revision: theirs, remoteRevision: head }
}

/** All pairs of remote commit and commit here, over all remotes. */
async function allSynced(repo: Repository): Promise<Map<string, CommitId>> {
  const refs = await repo.refs('refs/bindery/sync/')
  return new Map([...refs].map(([ref, commit]) => [ref.split('/').at(-1) as string, commit] as const).filter(([name]) => isOid(name)))
}

const noDocs = (sync: Sync): SyncFailure =>
  new SyncFailure(
    `${describeRemote(sync.remote)} holds no markdown file, so it does not replace the content of the space. Check the branch and folder, or use force to take it as it is.`,
  )

const hasDocs = async (repo: Repository, tree: TreeId): Promise<boolean> =>
  (await repo.diff(null, tree)).some((change) => /\.(md|markdown)$/i.test(change.path))

/** A tree without documents must not empty a space: content-format.md, "Remotes". */
async function requireDocs(sync: Sync, state: SyncState, main: CommitId, theirs: CommitId, forExport: boolean): Promise<void> {
  const { repo } = sync.space
  const docs = async (commit: CommitId): Promise<boolean> => hasDocs(repo, (await repo.commit(commit)).tree)
  if ((await docs(theirs)) || !(await docs(main))) return
  // A first meeting deletes nothing, so an export may go onto a repository that holds a licence alone.
  if (forExport && (state.last === null || !(await docs(state.last.local)))) return
  throw noDocs(sync)
}
