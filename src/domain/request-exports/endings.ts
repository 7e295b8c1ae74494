/**
 * Handles the end of an export without a merge on the host (closed there, merged here, archived here), and its
 * reopening.
 */
import { HostError, type PullRequest } from '../../hosts/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { RequestExportDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { changeDocument } from '../change-requests/change-requests.js'
import { isKnown, isWhole } from '../git-sync/log-entries.js'
import { readSyncLog } from '../git-sync/sync-log.js'
import { headOf } from '../revisions/main-content.js'
import { type Export, record } from './poll-context.js'

/**
 * Handles a pull request that was closed on the host. The change request is archived with the reason, unless it is
 * already merged.
 */
export async function closedThere(all: Export, pull: PullRequest): Promise<void> {
  const { app, request } = all
  const why = pull.reason ? ` The reason given: ${pull.reason}` : ''
  const reason = `Pull request ${pull.number} was closed on the host without a merge.${why}`
  let archived = false
  if (request.status !== 'merged' && request.status !== 'archived') {
    const updatedAt = app.clock.now().toISOString()
    await changeDocument(app, request.id, (stored) => {
      archived = stored.status === 'open' || stored.status === 'draft'
      return archived ? { ...stored, status: 'archived', note: reason, updatedAt } : stored
    })
  }
  await end(all, { status: 'closed', reason, ...(archived ? { archived } : {}) })
}

/**
 * Handles a pull request that was reopened on the host. The change request is reopened if closing the pull request had
 * archived it.
 */
export async function reopened(all: Export): Promise<void> {
  const { app, doc, request } = all
  if (request.status === 'merged') return
  const updatedAt = app.clock.now().toISOString()
  if (doc.archived && request.status === 'archived')
    await changeDocument(app, request.id, ({ note: _gone, ...stored }) =>
      stored.status === 'archived' ? { ...stored, status: 'open', updatedAt } : stored,
    )
  else if (request.status === 'archived') return
  await record(all, ({ reason: _gone, archived: _past, said: _words, ...stored }) => ({
    ...stored,
    status: 'open',
    changedAt: updatedAt,
  }))
}

/**
 * Handles a change request that was merged here. After an export of main has published it, the pull request is closed
 * with a comment. An import-only connection never publishes it, so the pull request stays open for a merge on the host.
 */
export async function mergedHere(all: Export, pull: PullRequest | null): Promise<void> {
  const { through, request, doc } = all
  if (pull === null && doc.pushed === undefined)
    return end(all, { status: 'closed', reason: 'The change request was merged here before it was exported.' })
  if (through.direction === 'import' && pull !== null) return
  const commit = await exportedAs(all, request.revisionMerged ?? headOf(all.space))
  if (commit === null && through.direction !== 'import') {
    if (doc.waitsFor !== 'export') await record(all, (stored) => ({ ...stored, waitsFor: 'export' }))
    return
  }
  const reason = `Change request #${request.number} was merged in Bindery${commit === null ? '' : `, and is on ${doc.base.replace('refs/heads/', '')} with ${commit}`}.`
  await close(all, pull, reason)
}

/** Handles a change request that was archived here. The pull request is closed with a comment. */
export const archivedHere = (all: Export, pull: PullRequest | null): Promise<void> =>
  close(all, pull, `Change request #${all.request.number} was archived in Bindery.`)

/**
 * Closes the pull request. The comment is posted at most once, so it is lost if the service is killed at that moment.
 */
async function close(all: Export, pull: PullRequest | null, reason: string): Promise<void> {
  if (pull !== null && pull.state === 'open') {
    if (!all.doc.said) {
      await record(all, (stored) => ({ ...stored, said: true }))
      await comment(all, pull.number, reason)
    }
    await all.host.closePullRequest(pull.number)
  }
  await end(all, { status: 'closed', reason })
}

/**
 * Posts a comment. If the credential may not comment, the comment is skipped, since closing the pull request matters
 * more.
 */
async function comment({ host }: Export, number: number, text: string): Promise<void> {
  try {
    await host.comment(number, text)
  } catch (error) {
    if (!(error instanceof HostError) || error.failure === 'rateLimited' || error.failure === 'unavailable') throw error
  }
}

const end = async (
  all: Export,
  how: Pick<Document<RequestExportDoc>, 'status'> & Partial<Pick<RequestExportDoc, 'reason' | 'archived'>>,
): Promise<void> => {
  const changedAt = all.app.clock.now().toISOString()
  await record(all, ({ waitsFor: _over, ...stored }) => ({ ...stored, ...how, changedAt }))
}

/** Finds the commit of the base branch with which an export published a revision of main. Null if there is none. */
async function exportedAs({ space, remote }: Export, revision: CommitId): Promise<CommitId | null> {
  const { repo } = space
  const log = await readSyncLog(repo, remote, headOf(space))
  for (const pair of log.syncPoints.toReversed())
    if (
      isKnown(pair) &&
      isWhole(pair) &&
      pair.ref === remote.ref &&
      (await repo.history.isAncestor(revision, pair.local))
    )
      return pair.remote
  return null
}
