/** Queues runs of a connection, on request and automatically. */
import { conflict, ServiceError } from '../../kernel/errors.js'
import { atLeast } from '../../access/index.js'
import {
  type ConnectionDoc,
  type RunConnection,
  type RunTrigger,
  spaces,
  type SyncRunDoc,
  syncRuns,
} from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { VisibleSpace } from '../context/loaded.js'
import { checkUnlocked } from '../commits/guards.js'
import { remoteOf } from '../git-sync/remote.js'
import { enqueue, isOver, type NewRun } from '../git-sync/request.js'
import { defined } from '../../kernel/defined.js'

type Way = SyncRunDoc['direction']

/** Returns the direction of a full run. An export imports new commits first, unless the connection only exports. */
export const wholeRun = ({ direction }: ConnectionDoc): Way => (direction === 'import' ? 'import' : 'export')

/** Lists the runs of a connection, newest first. */
export const runsOf = async (app: App, connection: Pick<ConnectionDoc, 'id'>): Promise<Document<SyncRunDoc>[]> =>
  (await app.store.find(syncRuns, 'connection', connection.id)).sort((a, b) => b.sequence - a.sequence)

/** Finds a queued run that would do the same. Null if there is none. */
async function findQueuedRun(
  reader: Reader,
  connection: ConnectionDoc,
  way: Way,
): Promise<Document<SyncRunDoc> | null> {
  const runs = (await reader.find(syncRuns, 'connection', connection.id)).sort((a, b) => b.sequence - a.sequence)
  return runs.find((run) => run.state === 'queued' && run.direction === way && !run.force && !run.cancelled) ?? null
}

/** Describes a run of a connection. If the connection has no commit message, the export generates one. */
function newRun(
  connection: ConnectionDoc,
  way: Way,
  trigger: RunTrigger,
  asked: { by: string; force: boolean },
): NewRun {
  const common = {
    direction: way,
    force: asked.force,
    standalone: false,
    requestedBy: asked.by,
    connection: connection.id,
    trigger,
  }
  if (way === 'import') return common
  return {
    ...common,
    ...defined({ message: connection.commitMessage }),
    exportMode: connection.exportMode,
    ...(connection.direction === 'export' ? { oneWay: true } : {}),
  }
}

/** Queues an automatic run. Null if an equal run is already queued or the space is gone. */
export async function queueAutomaticRun(
  app: App,
  connection: ConnectionDoc,
  way: Way,
  trigger: RunTrigger,
): Promise<Document<SyncRunDoc> | null> {
  const doc = await app.store.get(spaces, connection.space)
  if (!doc || doc.deletedAt !== undefined || (await findQueuedRun(app.store, connection, way))) return null
  const run = newRun(connection, way, trigger, { by: connection.createdBy, force: false })
  return enqueue(app, { doc }, { remote: remoteOf(connection), credential: null, run, follows: true })
}

/**
 * Queues a requested run, or returns an equal run that is already queued. Throws 403 (force needs admin), 409 (the
 * connection is paused or does not have this direction), and 423 for an import into a locked space.
 */
export async function runConnectionNow(
  app: App,
  actor: Actor,
  space: VisibleSpace,
  connection: ConnectionDoc,
  { direction = wholeRun(connection), force = false, trigger = 'manual' }: RunConnection & { trigger?: RunTrigger },
): Promise<Document<SyncRunDoc>> {
  if (connection.paused) throw conflict('The connection is paused. Resume it first.')
  if (connection.direction !== 'both' && connection.direction !== direction)
    throw conflict(
      `The direction of the connection is ${connection.direction}. Change it to ${direction} or both first.`,
    )
  if (force && !atLeast(space.role, 'admin'))
    throw new ServiceError('forbidden', 'A forced run needs the role admin on the space.')
  if (direction === 'import') checkUnlocked(space)
  // In a transaction, so that a caller who has lost the role does not learn about the queued run.
  const queued = force ? null : await app.store.transact((tx) => findQueuedRun(tx, connection, direction))
  if (queued) return queued
  const run = newRun(connection, direction, trigger, { by: actor.user.id, force })
  return enqueue(app, space, { remote: remoteOf(connection), credential: null, run })
}

/**
 * Queues the last run again. Throws 409 unless it failed, was canceled or ended in a conflict, and the errors of
 * `runConnectionNow`.
 */
export async function retryConnection(
  app: App,
  actor: Actor,
  space: VisibleSpace,
  connection: ConnectionDoc,
): Promise<Document<SyncRunDoc>> {
  const [last] = await runsOf(app, connection)
  if (last && !isOver(last))
    throw conflict('A run of this connection is queued or running. Wait until it ends, or cancel it.')
  if (!last || last.state === 'success') throw conflict('There is nothing to retry: the last run did not fail.')
  return runConnectionNow(app, actor, space, connection, {
    direction: last.direction,
    force: last.force,
    trigger: 'retry',
  })
}

/**
 * Cancels the queued and running runs. Refs that a run has already moved stay moved; a partial change is never visible.
 * Throws 409 if there is no such run.
 */
export async function cancelRuns(app: App, connection: ConnectionDoc): Promise<Document<SyncRunDoc>> {
  const marked = await app.store.transact(async (tx) => {
    const open = (await tx.find(syncRuns, 'connection', connection.id)).filter((run) => !isOver(run))
    const all: Document<SyncRunDoc>[] = []
    for (const run of open.sort((a, b) => a.sequence - b.sequence))
      all.push(await tx.replace(syncRuns, { ...run, cancelled: true }))
    return all
  })
  const [first] = marked
  if (!first) throw conflict('No run of this connection is queued or running.')
  for (const { id } of marked) app.endRun(id)
  return first
}
