/** Continues a sync after a change request that resolved its conflict was merged. */
import type { CommitId } from '../../kernel/ids.js'
import type { ChangeRequestDoc } from '../../model/index.js'
import { mergeChangeRequest } from '../change-requests/merge-requests.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { connectionTo } from './connection-of.js'
import { remoteOf } from './remote.js'
import { enqueue, isOver } from './request.js'
import { retryInput, listSyncRuns } from './runs.js'

/**
 * Merges a change request (`mergeChangeRequest`). If it resolved a sync conflict, queues the blocked export again. If
 * no export was blocked, queues the last import if that needs no credential, because later heads may be waiting.
 */
export async function mergeAndResume(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
): Promise<{ revision: CommitId }> {
  const merged = await mergeChangeRequest(app, actor, space, changeRequest)
  await resume(app, actor, space, changeRequest.doc)
  return merged
}

async function resume(app: App, actor: Actor, space: LoadedSpace, changeRequest: ChangeRequestDoc): Promise<void> {
  if (changeRequest.remoteKey === undefined) return
  const runs = (await listSyncRuns(app, space)).filter((run) => run.key === changeRequest.remoteKey && !run.standalone)
  if (runs.some((run) => !isOver(run))) return
  const lastExport = runs.find((run) => run.direction === 'export')
  const blocked = lastExport?.state === 'conflict' ? lastExport : undefined
  const run = blocked ?? runs.find((one) => one.direction === 'import' && !one.hadCredential)
  if (!run || (run.direction === 'import' && space.doc.editMode === 'locked')) return
  const connection = await connectionTo(app.store, space.doc.id, run.key)
  // A paused connection catches up when it is resumed.
  if (connection?.paused) return
  const owner = connection === null ? {} : { connection: connection.id, trigger: 'resumed' as const }
  await enqueue(app, space, {
    remote: remoteOf(run),
    credential: null,
    run: { ...retryInput(run, actor.user.id), ...owner, force: false },
    follows: true,
  })
}
