/** Merges commits that people pushed to the host's branch into the change request. */
import { RemoteError } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { ExportedRevision } from '../../model/index.js'
import { guardBranch } from '../commits/guards.js'
import { commitMessage } from '../commits/make-commit.js'
import { makeMergeCommit } from '../commits/merge/merge-commit.js'
import { moveBranch } from '../commits/move-branch.js'
import { changeRequestRef } from '../context/refs.js'
import { findMergeBase } from '../git-sync/merge-base.js'
import { BranchConflict, SyncFailure } from '../git-sync/failure.js'
import type { Entry, SyncLog } from '../git-sync/log-entries.js'
import { mergeArrival } from '../git-sync/merge-arrival.js'
import type { Sided } from '../git-sync/remote-side.js'
import { readSyncLog } from '../git-sync/sync-log.js'
import { type Export, record, withPushed } from './poll-context.js'

const MAX_NAMED = 10

/**
 * Merges the host's branch into the change request's branch, based on the last export. Throws `BranchConflict`, and
 * `SyncFailure` if the host's branch was rewritten or emptied.
 * @param last the last exported revision
 */
export async function takeIn(all: Sided<Export>, there: CommitId, last: ExportedRevision): Promise<Export> {
  const { app, space, remote, request, branch, side } = all
  const { repo } = space
  if ((await fetched(all)) !== there) throw new SyncFailure('The branch moved on the host.')
  if (!(await side.commits.history.isAncestor(last.commit, there)))
    throw new SyncFailure(
      `The branch ${all.doc.branch} was rewritten on the host and lacks the exported commit. Nothing was overwritten. Restore ${last.commit} there, or archive the change request.`,
    )
  const ref = changeRequestRef(request.number)
  const head = await app.locks.run(space.doc.id, (lease) =>
    moveBranch(
      repo,
      { ref, reason: `take in commits of ${all.doc.branch}`, guard: guardBranch(app, space), lease },
      async (now) => {
        const ours = now ?? all.head
        const log = withExport(await readSyncLog(repo, remote, ours), last, all)
        const theirs = await side.local(log, there)
        if (theirs === null)
          throw new SyncFailure(`The branch on the host no longer has the folder ${remote.directory}/.`)
        const ground = await findMergeBase(repo, log, { main: ours, theirs })
        if (ground.upToDate || (await repo.history.isAncestor(theirs, ours))) return ours
        const { merged } = await mergeArrival(all, ground, { main: ours, theirs })
        if (!merged.clean) throw conflictOf(merged.conflicts.map(({ path }) => path))
        const { name: displayName, email } = app.settings.committer
        const message = commitMessage(`Take in commits of ${branch.replace('refs/heads/', '')}`, {
          'Change-Request-Branch': String(request.number),
        })
        return makeMergeCommit(
          app,
          space,
          { ours, theirs, bases: ground.bases.map(({ local }) => local), tree: merged.tree },
          { message, author: { displayName, email } },
        )
      },
    ),
  )
  const doc = await record(all, ({ offered: _over, ...stored }) => ({
    // The host has new commits. Changes of the head that the host lacks are pushed on top of them.
    ...withPushed(stored, { revision: last.revision, commit: there }),
    changedAt: app.clock.now().toISOString(),
  }))
  return { ...all, doc, head }
}

async function fetched(all: Sided<Export>): Promise<CommitId> {
  try {
    return await all.side.fetch(all.branch)
  } catch (error) {
    if (error instanceof RemoteError && error.kind === 'missing-ref')
      throw new SyncFailure('The branch was deleted on the host.', { cause: error })
    throw error
  }
}

/** Adds the last export to the log, from which it may have been pruned. */
function withExport(log: SyncLog, last: ExportedRevision, { branch }: Export): SyncLog {
  if (log.syncPoints.some(({ remote, local }) => remote === last.commit && local === last.revision)) return log
  const known = log.entries.find(({ remote }) => remote === last.commit)
  const commit = last.commit
  const local = last.revision
  const entry: Entry = {
    kind: 'known',
    remote: commit,
    theirs: known?.theirs ?? commit,
    local,
    anchor: local,
    ref: branch,
  }
  return {
    ...log,
    entries: [...log.entries, entry],
    counting: [...log.counting, entry],
    syncPoints: [...log.syncPoints, entry],
  }
}

function conflictOf(paths: readonly string[]): BranchConflict {
  const all = [...new Set(paths)]
  const listed =
    all.slice(0, MAX_NAMED).join(', ') + (all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : '')
  return new BranchConflict(
    `Commits on the host's branch conflict with the change request in ${listed}. Nothing was overwritten on either side. ` +
      'Edit these files on one side so that both agree, or merge the pull request without the later changes here.',
  )
}
