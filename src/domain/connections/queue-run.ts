/** Queues runs of a connection: when somebody asks, and when the driver finds something to do. */
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

type Way = SyncRunDoc['direction']

/** What a run of the whole connection is: an export imports first what is new, unless the connection only imports. */
export const wholeRun = ({ direction }: ConnectionDoc): Way => (direction === 'import' ? 'import' : 'export')

/** The runs of a connection, the newest first. */
export const runsOf = async (app: App, connection: Pick<ConnectionDoc, 'id'>): Promise<Document<SyncRunDoc>[]> =>
  (await app.store.find(syncRuns, 'connection', connection.id)).sort((a, b) => b.sequence - a.sequence)

/** A run that waits to begin and would do the same; null if there is none. */
async function waiting(reader: Reader, connection: ConnectionDoc, way: Way): Promise<Document<SyncRunDoc> | null> {
  const runs = (await reader.find(syncRuns, 'connection', connection.id)).sort((a, b) => b.sequence - a.sequence)
  return runs.find((run) => run.state === 'queued' && run.direction === way && !run.force && !run.cancelled) ?? null
}

/** The run of a connection. Without a message of the connection's own, the export words one. */
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
    ...(connection.commitMessage === undefined ? {} : { message: connection.commitMessage }),
    exportMode: connection.exportMode,
    ...(connection.direction === 'export' ? { oneWay: true } : {}),
  }
}

/** Queues a run that nobody asked for. Null if one waits already, or the space is gone. */
export async function queueAutomaticRun(
  app: App,
  connection: ConnectionDoc,
  way: Way,
  trigger: RunTrigger,
): Promise<Document<SyncRunDoc> | null> {
  const doc = await app.store.get(spaces, connection.space)
  if (!doc || doc.deletedAt !== undefined || (await waiting(app.store, connection, way))) return null
  const run = newRun(connection, way, trigger, { by: connection.createdBy, force: false })
  return enqueue(app, { doc }, { remote: remoteOf(connection), credential: null, run, follows: true })
}

/**
 * Queues a run because somebody asks for it; one that waits already is returned. Throws 403 (force needs admin), 409 (paused, or a direction that the
 * connection does not have), 423 for an import into a locked space.
 */
export async function runConnectionNow(
  app: App,
  actor: Actor,
  space: VisibleSpace,
  connection: ConnectionDoc,
  { direction = wholeRun(connection), force = false, trigger = 'manual' }: RunConnection & { trigger?: RunTrigger },
): Promise<Document<SyncRunDoc>> {
  if (connection.paused) throw conflict('The connection is paused: resume it first.')
  if (connection.direction !== 'both' && connection.direction !== direction)
    throw conflict(
      `The direction of the connection is ${connection.direction}: change it to ${direction} or both first.`,
    )
  if (force && !atLeast(space.role, 'admin'))
    throw new ServiceError('forbidden', 'A forced run needs the role admin on the space.')
  if (direction === 'import') checkUnlocked(space)
  // In a transaction, so that somebody who has lost the role meanwhile is not told of it.
  const queued = force ? null : await app.store.transact((tx) => waiting(tx, connection, direction))
  if (queued) return queued
  const run = newRun(connection, direction, trigger, { by: actor.user.id, force })
  return enqueue(app, space, { remote: remoteOf(connection), credential: null, run })
}

/** Queues the last run again. Throws 409 unless it failed, was cancelled or ended in a conflict, and as `runConnectionNow`. */
export async function retryConnection(
  app: App,
  actor: Actor,
  space: VisibleSpace,
  connection: ConnectionDoc,
): Promise<Document<SyncRunDoc>> {
  const [last] = await runsOf(app, connection)
  if (last && !isOver(last))
    throw conflict('A run of this connection is queued or running: wait for its end, or cancel it.')
  if (!last || last.state === 'success') throw conflict('There is nothing to retry: the last run did not fail.')
  return runConnectionNow(app, actor, space, connection, {
    direction: last.direction,
    force: last.force,
    trigger: 'retry',
  })
}

/** Cancels the runs that are queued or running. What a run has moved by then stays; nothing half done is seen. Throws 409 if there is none. */
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
