/** A pull request that was merged on the host: once its commits are imported, the change request is recorded as merged. */
import type { PullRequest } from '../../hosts/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { changeRequests, type ConnectionDoc, syncRuns } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { changeDocument } from '../change-requests/change-requests.js'
import { guardMain } from '../commits/guards.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { moveBranch } from '../commits/move-branch.js'
import { queueAutomaticRun } from '../connections/queue-run.js'
import type { App } from '../context/app.js'
import { loadHead } from '../context/loaded.js'
import { MAIN } from '../context/refs.js'
import { onRemoteSide } from '../git-sync/remote-side.js'
import { isOver } from '../git-sync/request.js'
import { readSyncLog } from '../git-sync/sync-log.js'
import { overridesAt } from '../revisions/identity.js'
import { headOf } from '../revisions/main-content.js'
import { type Export, record } from './contact.js'

/** Trailers that name commits of the host. */
const MOST_NAMED = 20

/** Records the merge, or queues the import that it waits for. */
export async function mergedThere(all: Export, pull: PullRequest): Promise<void> {
  if (pull.base.ref !== all.doc.base.replace('refs/heads/', '')) return mergedElsewhere(all, pull)
  const known = await withCommits(await withOffered(all, pull), pull)
  const became = known.doc.became
  const last = became?.commits.at(-1) as CommitId | undefined
  if (last === undefined) return
  if (!(await isImported(known, last))) {
    // Once: what fails is repeated by the connection itself, and the end of every run brings the next look.
    if (known.doc.waitsFor !== 'import') await queueImport(known.app, known.through)
    await record(known, (stored) => ({ ...stored, status: 'merged', waitsFor: 'import' }))
    return
  }
  const revisionMerged = await recordMerge(known)
  await record(known, ({ waitsFor: _over, ...stored }) => ({
    ...stored,
    status: 'merged',
    ...(revisionMerged === null ? {} : { revisionMerged }),
    changedAt: known.app.clock.now().toISOString(),
  }))
}

/** Somebody gave the pull request another base branch: what was merged there does not come here. */
async function mergedElsewhere(all: Export, { number, base }: PullRequest): Promise<void> {
  const reason = `Pull request ${number} was merged into ${base.ref}, which is not the branch of the connection. The change request stays as it is.`
  await record(all, ({ waitsFor: _over, ...stored }) => ({ ...stored, status: 'closed', reason }))
}

/** What was merged may be what was being pushed when the connection broke. */
async function withOffered(all: Export, pull: PullRequest): Promise<Export> {
  const { offered } = all.doc
  if (offered === undefined || pull.head.sha !== offered.commit) return all
  return { ...all, doc: await record(all, ({ offered: _done, ...stored }) => ({ ...stored, pushed: offered })) }
}

async function withCommits(all: Export, pull: PullRequest): Promise<Export> {
  if (all.doc.became !== undefined) return all
  const found = await all.host.mergedCommits(pull.number)
  if (found === null) return all
  const became = { ...found, ...(pull.mergedBy === null ? {} : { by: pull.mergedBy }), ...(pull.mergedAt === null ? {} : { at: pull.mergedAt }) }
  return { ...all, doc: await record(all, (stored) => ({ ...stored, became })) }
}

/** Whether main has taken in a commit of the host. */
async function isImported(all: Export, commit: CommitId): Promise<boolean> {
  const { space, remote } = all
  const { repo } = space
  const main = headOf(space)
  const log = await readSyncLog(repo, remote, main)
  const local = await onRemoteSide(all, async ({ side }) => {
    // Beside the space, what is there says nothing of what main has, but the history of the branch does.
    if (side.beside) await side.fetch(remote.ref)
    return (await side.commits.hasCommit(commit)) ? side.local(log, commit) : null
  })
  if (local === null) return false
  for (const one of [main, ...log.pairs.map(({ theirs }) => theirs)]) if (await repo.isAncestor(local, one)) return true
  return false
}

async function queueImport(app: App, connection: Document<ConnectionDoc>): Promise<void> {
  const runs = await app.store.find(syncRuns, 'connection', connection.id)
  if (!runs.some((run) => !isOver(run))) await queueAutomaticRun(app, connection, 'import', 'poll')
}

/**
 * Makes main contain what was exported, by a merge commit with the files that main has already, and marks the change request as merged. One that was
 * changed since stays open: what it has beyond the export is still to be merged. Returns the commit; null if nothing was exported.
 */
async function recordMerge(all: Export): Promise<CommitId | null> {
  const { app, space, doc, actor } = all
  const { repo } = space
  const exported = doc.pushed?.revision as CommitId | undefined
  if (exported === undefined) return null
  return app.locks.run(space.doc.id, async (lease) => {
    const stored = await app.store.get(changeRequests, doc.id)
    if (!stored) return null
    const { head } = loadHead(space, stored)
    const whole = head === exported || (await repo.isAncestor(head, headOf(space)))
    const reason = `record the merge of change request ${stored.number}`
    const revision = await moveBranch(repo, { ref: MAIN, reason, guard: guardMain(app, space, { by: 'service' }), lease }, async (now) => {
      const main = now ?? headOf(space)
      if (await repo.isAncestor(exported, main)) return main
      const message = commitMessage(messageOf(all, whole), {
        ...(whole ? { 'Change-Request': String(stored.number) } : {}),
        'Merged-As': (doc.became?.commits ?? []).slice(-MOST_NAMED),
      })
      const overrides = await overridesAt(app, space, main)
      return makeCommit(app, space, { parents: [main, exported], changes: [], tree: (await repo.commit(main)).tree, message, author: actor.user, overrides })
    })
    if (!whole) return revision
    const updatedAt = app.clock.now().toISOString()
    await changeDocument(app, doc.id, (one) => (one.status === 'merged' ? one : { ...one, status: 'merged', revisionMerged: revision, updatedAt }))
    return revision
  })
}

function messageOf({ request, doc }: Export, whole: boolean): string {
  const name = `change request #${request.number}${request.subject ? `: ${request.subject}` : ''}`
  const where = doc.pullRequest === undefined ? 'on the host' : `by ${doc.pullRequest.url || `pull request ${doc.pullRequest.number}`}`
  return `${whole ? 'Merge' : 'Merge a part of'} ${name}\n\nIt was merged ${where}; its content came by an import.`
}
