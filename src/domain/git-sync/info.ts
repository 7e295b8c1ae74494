import { conflict } from '../../kernel/errors.js'
import { type ChangeRequestDoc, type RetryRequest, type SyncRunDoc, spaces, syncRuns } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Actor, App, LoadedSpace } from '../app.js'
import { checkUnlocked } from '../main-guard.js'
import { readRemote, remoteOf } from './remote.js'
import { enqueue, isOver, requireRole } from './request.js'

/** The runs of a space, newest first. */
export async function listSyncRuns(app: App, space: LoadedSpace): Promise<Document<SyncRunDoc>[]> {
  return (await app.store.find(syncRuns, 'space', space.doc.id)).sort((a, b) => b.sequence - a.sequence)
}

/** Forgets which remote the space is linked with; what was synchronized stays known, so a later link goes on from there. */
export async function unlinkRemote(app: App, space: LoadedSpace): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(spaces, space.doc.id)
    if (stored?.git === undefined) return
    const { git: _gone, ...rest } = stored
    await tx.replace(spaces, rest)
  })
}

/**
 * Queues the last run again, where it failed or ended in a conflict.
 * @param input the URL again, with a fresh credential, where it needs one
 */
export async function retrySync(app: App, actor: Actor, space: LoadedSpace, input: RetryRequest): Promise<Document<SyncRunDoc>> {
  const runs = await listSyncRuns(app, space)
  if (runs.some((run) => !isOver(run))) throw conflict('A run of this space is queued or running: wait for its end.')
  const last = runs[0]
  if (!last || last.state === 'success') throw conflict('There is nothing to retry: the last run did not fail.')
  const remote = remoteOf(last)
  requireRole(space, remote, last.standalone ? 'standalone' : last.force ? 'force' : 'plain')
  if (last.direction === 'import' && !last.standalone) checkUnlocked(space)
  const given =
    input.url === undefined
      ? null
      : readRemote(
          { url: input.url, ref: last.ref, repoProjectDirectory: last.directory },
          { allowedProtocols: app.settings.allowedProtocols, mergeRequests: last.standalone },
        )
  if (given && given.remote.key !== remote.key) throw conflict('The URL is that of another repository: start an import or export with it.')
  return enqueue(app, space, remote, given?.credential ?? null, again(last, actor.user.id))
}

const again = (run: SyncRunDoc, requestedBy: string) => ({
  direction: run.direction,
  force: run.force,
  standalone: run.standalone,
  requestedBy,
  ...(run.message === undefined ? {} : { message: run.message }),
})

/**
 * To be called when a change request was merged: where it held a sync's conflict, the export that the conflict blocked is
 * queued again; else, where it can be done without a credential, an import that takes up what waited.
 */
export async function resumeAfterConflict(app: App, actor: Actor, space: LoadedSpace, changeRequest: ChangeRequestDoc): Promise<void> {
  if (changeRequest.remoteKey === undefined) return
  const runs = (await listSyncRuns(app, space)).filter((run) => run.key === changeRequest.remoteKey && !run.standalone)
  if (runs.some((run) => !isOver(run))) return
  const lastExport = runs.find((run) => run.direction === 'export')
  const blocked = lastExport?.state === 'conflict' ? lastExport : undefined
  const run = blocked ?? runs.find((one) => one.direction === 'import' && !one.hadCredential)
  if (!run || (run.direction === 'import' && space.doc.editMode === 'locked')) return
  await enqueue(app, space, remoteOf(run), null, { ...again(run, actor.user.id), force: false }, { follows: true })
}
