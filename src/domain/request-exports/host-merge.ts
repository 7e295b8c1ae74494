/**
 * Handles a pull request that was merged on the host. After its commits are imported, the change request is recorded as
 * merged.
 */
import type { Repository } from '../../git/index.js'
import type { PullRequest } from '../../hosts/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { changeRequests, type ConnectionDoc, type ExportedRevision, syncRuns } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { changeDocument } from '../change-requests/change-requests.js'
import { guardMain } from '../commits/guards.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { followersOfPlainMerge } from '../commits/merge/followed-folders.js'
import { mergeCommits } from '../commits/merge/merge.js'
import { makeMergeCommit } from '../commits/merge/merge-commit.js'
import { moveBranch } from '../commits/move-branch.js'
import { queueAutomaticRun } from '../connections/queue-run.js'
import type { App } from '../context/app.js'
import { loadHead } from '../context/loaded.js'
import { MAIN } from '../context/refs.js'
import { findConflict } from '../git-sync/conflict.js'
import { MERGED_AS } from '../git-sync/dropped-exports.js'
import { isWithin } from '../git-sync/inferred-ancestors.js'
import type { Entry, SyncLog } from '../git-sync/log-entries.js'
import { logMoves } from '../git-sync/log-moves.js'
import { onRemoteSide } from '../git-sync/remote-side.js'
import { isOver } from '../git-sync/request.js'
import { readSyncLog } from '../git-sync/sync-log.js'
import { overridesAt } from '../revisions/identity.js'
import { headOf } from '../revisions/main-content.js'
import { type Export, record } from './poll-context.js'
import { exportedRevisions, mergedByTree, type MergedSides, sidesOfMerge } from './merged-revision.js'
import { asOid } from '../../kernel/ids.js'

/** Maximum number of trailers that list commits of the host. */
const MAX_NAMED = 20

/** Records the merge, or queues the import that it waits for. */
export async function mergedThere(all: Export, pull: PullRequest): Promise<void> {
  if (pull.base.ref !== all.doc.base.replace('refs/heads/', '')) return mergedElsewhere(all, pull)
  const known = await withCommits(all, pull)
  const became = known.doc.became
  const last = became?.commits.at(-1)
  if (last === undefined) return
  const result = await importedAs(known, last)
  if (result === null || (await isResetHeld(known, result))) {
    // Queue it only once. The connection itself retries failures, and the end of every run triggers the next poll.
    if (known.doc.waitsFor !== 'import') await queueImport(known.app, known.through)
    await record(known, (stored) => ({ ...stored, status: 'merged', waitsFor: 'import' }))
    return
  }
  const merged = known.doc.mergedFrom ?? (await mergedByTree(known))
  const sides = merged && (await sidesOfMerge(known, merged))
  const { revision, reason } = await recordMerge(known, { result, merged, sides })
  await record(known, ({ waitsFor: _over, ...stored }) => ({
    ...stored,
    status: 'merged',
    ...(revision === null ? {} : { revisionMerged: revision }),
    ...(reason === null ? {} : { reason }),
    changedAt: known.app.clock.now().toISOString(),
  }))
}

/** Handles a pull request whose base branch was changed. Its merge does not reach this space. */
async function mergedElsewhere(all: Export, { number, base }: PullRequest): Promise<void> {
  const reason = `Pull request ${number} was merged into ${base.ref}, which is not the branch of the connection. The change request is not changed.`
  await record(all, ({ waitsFor: _over, ...stored }) => ({ ...stored, status: 'closed', reason }))
}

/** Asks the host once for the commits that the pull request became, and finds the exported revision that was merged. */
async function withCommits(all: Export, pull: PullRequest): Promise<Export> {
  if (all.doc.became !== undefined && all.doc.mergedFrom !== undefined) return all
  const found = await all.host.mergedCommits(pull.number)
  if (found === null) return all
  const { from, ...commits } = found
  const became = {
    ...commits,
    commits: commits.commits.map(asOid),
    ...(pull.mergedBy === null ? {} : { by: pull.mergedBy }),
    ...(pull.mergedAt === null ? {} : { at: pull.mergedAt }),
  }
  const mergedFrom = exportedRevisions(all.doc).find(({ commit }) => from.includes(commit)) ?? null
  return { ...all, doc: await record(all, (stored) => ({ ...stored, became, mergedFrom })) }
}

/** Returns the local form of a commit of the host that was imported, or null if it was not. */
async function importedAs(all: Export, commit: CommitId): Promise<CommitId | null> {
  const { space, remote } = all
  const { repo } = space
  const main = headOf(space)
  const log = await readSyncLog(repo, remote, main)
  const local = await onRemoteSide(all, async ({ side }) => {
    // For a folder, the files outside the space do not show what main contains, but the history of the branch does.
    if (side.usesScratch) await side.fetch(remote.ref)
    return (await side.commits.objects.hasCommit(commit)) ? side.local(log, commit) : null
  })
  const known = [main, ...headsOf(log.syncPoints)]
  return local !== null && (await isWithin(repo, local, known)) ? local : null
}

/** Whether an open conflict holds a reset that drops the merge. Its resolution decides whether main keeps the merge. */
async function isResetHeld(all: Export, result: CommitId): Promise<boolean> {
  const { repo } = all.space
  const { entries, counting } = await readSyncLog(repo, all.remote, headOf(all.space))
  const held = entries.filter((one) => one.kind === 'dropped' && !counting.includes(one))
  return (await isWithin(repo, result, headsOf(held))) && (await findConflict(all)) !== null
}

/** Whether a reset of the host has dropped the merge, and main followed. */
async function isDropped(repo: Repository, { counting, syncPoints }: SyncLog, result: CommitId): Promise<boolean> {
  const dropped = counting.filter(({ kind }) => kind === 'dropped')
  return (await isWithin(repo, result, headsOf(dropped))) && !(await isWithin(repo, result, headsOf(syncPoints)))
}

const headsOf = (entries: readonly Entry[]): CommitId[] => entries.map(({ theirs }) => theirs)

async function queueImport(app: App, connection: Document<ConnectionDoc>): Promise<void> {
  const runs = await app.store.find(syncRuns, 'connection', connection.id)
  if (!runs.some((run) => !isOver(run))) await queueAutomaticRun(app, connection, 'import', 'poll')
}

/** The merge on main, and the reason why the change request stays open. Null if not applicable. */
interface RecordedMerge {
  revision: CommitId | null
  reason: string | null
}

/** A merge on the host that was imported. */
interface ImportedMerge {
  /** The last commit that the pull request became, as a local commit. */
  result: CommitId
  /** The exported revision that was merged; null if unknown. */
  merged: ExportedRevision | null
  /** The two commits that the host merged; null if unknown. */
  sides: MergedSides | null
}

/**
 * Makes main contain the revision that was merged on the host, with a merge commit that keeps main's files. Only pages
 * that the host's merge left outside a moved root follow it. Marks the change request as merged if main then contains
 * all of it. Otherwise it stays open with the unmerged rest. If the host has dropped the merge since, the change request
 * stays open as it is.
 */
async function recordMerge(all: Export, { result, merged, sides }: ImportedMerge): Promise<RecordedMerge> {
  const { app, space, remote, doc } = all
  const { repo } = space
  return app.locks.run(space.doc.id, async (lease) => {
    const stored = await app.store.get(changeRequests, doc.id)
    if (!stored) return { revision: null, reason: null }
    const { head } = loadHead(space, stored)
    const log = await readSyncLog(repo, remote, headOf(space))
    if ((await isDropped(repo, log, result)) && !(await repo.history.isAncestor(head, headOf(space))))
      return { revision: null, reason: DROPPED_MERGE }
    const exported = merged?.revision ?? null
    const whole = head === exported || (await addsNothing(all, head, exported))
    const contained = whole ? head : exported
    if (contained === null) return { revision: null, reason: UNKNOWN_MERGE }
    const reason = `record the merge of change request ${stored.number}`
    const squash = await squashOf(all, log, { result, merged, sides }, contained)
    if (squash !== null)
      await repo.refs.move(await logMoves(repo, log, headOf(space), { added: [squash] }), reason, lease)
    const revision = await moveBranch(
      repo,
      { ref: MAIN, reason, guard: guardMain(app, space, { by: 'service' }), lease },
      async (now) => {
        const main = now ?? headOf(space)
        return (await repo.history.isAncestor(contained, main))
          ? main
          : mergeCommit(all, { main, contained, whole, sides })
      },
    )
    if (!whole) return { revision, reason: stayingOpen(contained) }
    const updatedAt = app.clock.now().toISOString()
    await changeDocument(app, doc.id, (one) =>
      one.status === 'merged' ? one : { ...one, status: 'merged', revisionMerged: revision, updatedAt },
    )
    return { revision, reason: null }
  })
}

/**
 * Returns the log entry which records that commits of the host repeat the exported revision. Without it, they would
 * count as work of people there, and main would follow a reset that drops them. Null if the host's history contains the
 * exported commit.
 */
async function squashOf(
  { space: { repo }, remote, doc }: Export,
  log: SyncLog,
  { result, merged, sides }: ImportedMerge,
  contained: CommitId,
): Promise<Entry | null> {
  if (merged === null) return null
  const { commit } = merged
  const theirs = log.entries.find((entry) => entry.remote === commit)?.theirs ?? commit
  if (log.entries.some((one) => one.kind === 'inferred' && one.theirs === theirs && one.local === result)) return null
  if (!(await repo.objects.hasCommit(theirs)) || (await repo.history.isAncestor(theirs, result))) return null
  const made = sides === null ? -1 : (await repo.history.firstParents(result)).indexOf(sides.ours)
  const seriesLength = made > 0 ? made : (doc.became?.commits.length ?? 1)
  return { kind: 'inferred', remote: commit, theirs, local: result, anchor: contained, ref: remote.ref, seriesLength }
}

async function mergeCommit(
  all: Export,
  { main, contained, whole, sides }: { main: CommitId; contained: CommitId; whole: boolean; sides: MergedSides | null },
): Promise<CommitId> {
  const { app, space, actor, request, doc } = all
  const message = commitMessage(messageOf(all, whole), {
    ...(whole ? { 'Change-Request': String(request.number) } : {}),
    [MERGED_AS]: (doc.became?.commits ?? []).slice(-MAX_NAMED),
  })
  const { tree } = await space.repo.objects.commit(main)
  const changes = sides === null ? [] : await followersOfPlainMerge(app, space, sides, tree)
  const commit = { parents: [main, contained], message, author: actor.user }
  if (changes.length === 0)
    return makeCommit(app, space, { ...commit, changes, tree, overrides: await overridesAt(app, space, main) })
  const merge = { ours: main, theirs: contained, bases: [contained], tree: await space.repo.trees.draft(tree, changes) }
  return makeMergeCommit(app, space, merge, commit)
}

/** Whether main has all changes of the change request's head beyond the merged revision. */
async function addsNothing({ app, space }: Export, head: CommitId, exported: CommitId | null): Promise<boolean> {
  const main = headOf(space)
  if (await space.repo.history.isAncestor(head, main)) return true
  const merged = await mergeCommits(app, space, {
    ours: main,
    theirs: head,
    ...(exported === null ? {} : { base: exported }),
  })
  return merged.clean && merged.tree === (await space.repo.objects.commit(main)).tree
}

const stayingOpen = (merged: CommitId): string =>
  `The pull request was merged with revision ${merged} of the change request. Later changes stay in the change request. Merge it here, or export it again.`

const DROPPED_MERGE =
  'The pull request was merged, but a reset of the branch on the host dropped the merge. The change request stays open. ' +
  'Merge it here, export it again, or archive it.'

const UNKNOWN_MERGE =
  'The pull request was merged, but the merge contains no exported revision of the change request. ' +
  'The change request stays open. Compare it with the main content, then merge or archive it.'

function messageOf({ request, doc }: Export, whole: boolean): string {
  const name = `change request #${request.number}${request.subject ? `: ${request.subject}` : ''}`
  const where =
    doc.pullRequest === undefined
      ? 'on the host'
      : `by ${doc.pullRequest.url || `pull request ${doc.pullRequest.number}`}`
  return `${whole ? 'Merge' : 'Merge a part of'} ${name}\n\nIt was merged ${where}; an import brought its content.`
}
