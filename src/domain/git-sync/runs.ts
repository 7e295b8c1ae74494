/** Lists, retries and resumes the sync runs of a space, and unlinks its remote. */
import { conflict } from '../../kernel/errors.js'
import { changeRequests, type RetryRequest, type SyncRunDoc, spaces, syncRuns } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import { checkUnlocked } from '../commits/guards.js'
import { connectionTo, readRemote, remoteOf } from './remote.js'
import { enqueue, isOver, requireRole } from './request.js'
import { defined } from '../../kernel/defined.js'

/** Returns the runs of a space, newest first. */
export const listSyncRuns = (app: App, { doc }: LoadedSpace): Promise<Document<SyncRunDoc>[]> =>
  runsOfSpace(app, doc.id)

const runsOfSpace = async (app: App, space: string): Promise<Document<SyncRunDoc>[]> =>
  (await app.store.find(syncRuns, 'space', space)).sort((a, b) => b.sequence - a.sequence)

/**
 * Removes the space's link to its remote. The sync log stays, so a later sync with the same remote continues from
 * there.
 */
export async function unlinkRemote(app: App, space: LoadedSpace): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(spaces, space.doc.id)
    if (stored?.git === undefined) return
    const { git: _gone, ...rest } = stored
    await tx.replace(spaces, rest)
  })
}

/**
 * Queues the last run again. Throws 409 unless it failed or ended in a conflict.
 * @param input the URL with a fresh credential, if the remote needs one
 */
export async function retrySync(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  input: RetryRequest,
): Promise<Document<SyncRunDoc>> {
  const runs = await listSyncRuns(app, space)
  if (runs.some((run) => !isOver(run))) throw conflict('A run of this space is queued or running. Wait until it ends.')
  const last = runs[0]
  if (!last || last.state === 'success') throw conflict('There is nothing to retry because the last run did not fail.')
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
  if (given && given.remote.key !== remote.key)
    throw conflict('The URL points to another repository. Start an import or export with it instead.')
  return enqueue(app, space, { remote, credential: given?.credential ?? null, run: retryInput(last, actor.user.id) })
}

/** Returns the input that queues a run again. */
export const retryInput = (run: SyncRunDoc, requestedBy: string) => ({
  direction: run.direction,
  force: run.force,
  standalone: run.standalone,
  requestedBy,
  ...defined({ message: run.message, connection: run.connection }),
  ...(run.trigger === undefined ? {} : { trigger: 'retry' as const }),
  ...defined({ oneWay: run.oneWay, exportMode: run.exportMode }),
})

/**
 * Continues the sync whose conflict a merged change request held, as a reaction to the merge. Queues the blocked export
 * again. If no export was blocked, queues the last import if that needs no credential, because later heads may be
 * waiting. The run is queued for the user who merged, or, if the service recorded the merge, for the user of that run.
 * A call that is repeated after a kill queues nothing.
 */
export async function resumeSync(app: App, changeRequest: string): Promise<void> {
  const request = await app.store.get(changeRequests, changeRequest)
  const doc = request && (await app.store.get(spaces, request.space))
  if (!request || !doc || doc.deletedAt !== undefined) return
  const { remoteKey, mergedAt = '', mergedBy } = request
  const runs = (await runsOfSpace(app, doc.id)).filter((run) => run.key === remoteKey && !run.standalone)
  if (runs.some((run) => !isOver(run))) return
  const later = runs.filter(({ startedAt }) => startedAt > mergedAt)
  const earlier = runs.slice(later.length)
  const lastExport = earlier.find(({ direction }) => direction === 'export')
  const blocked = lastExport?.state === 'conflict' ? lastExport : undefined
  const run = blocked ?? earlier.find((one) => one.direction === 'import' && !one.hadCredential)
  if (!run || later.some(({ direction }) => direction === run.direction)) return
  if (run.direction === 'import' && doc.editMode === 'locked') return
  const connection = await connectionTo(app.store, doc.id, run.key)
  // A paused connection catches up when it is resumed.
  if (connection?.paused) return
  const owner = connection === null ? {} : { connection: connection.id, trigger: 'resumed' as const }
  await enqueue(
    app,
    { doc },
    {
      remote: remoteOf(run),
      credential: null,
      run: { ...retryInput(run, mergedBy ?? run.requestedBy), ...owner, force: false },
      follows: true,
    },
  )
}
