/** Determines the automatic work of a connection from its document and Git, so that a crash loses no due work. */
import {
  changeRequests,
  type ConnectionDoc,
  connections,
  type RunTrigger,
  spaces,
  syncRuns,
} from '../../model/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import { headNow } from '../context/head-now.js'
import { eachInOrder } from '../context/in-order.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { isOver } from '../git-sync/request.js'
import { queueAutomaticRun, wholeRun } from './queue-run.js'
import { type Document, orIfDamaged } from '../../store/index.js'

/**
 * Queues the first run of a new connection, the retry of a failed run, and a run after its conflict was resolved.
 * Returns the time of the next retry (milliseconds since 1970), or null.
 */
export async function queueDueRun(app: App, connection: ConnectionDoc): Promise<number | null> {
  const { failure } = connection
  if (failure?.cause === 'conflict') {
    if (!(await isConflictOpen(app, connection))) await queueUnlessOpen(app, connection, 'resumed')
    return null
  }
  if (connection.lastRun === undefined) await queueUnlessOpen(app, connection, 'created')
  if (failure?.retryAt === undefined) return null
  if (Date.parse(failure.retryAt) > app.clock.now().getTime()) return Date.parse(failure.retryAt)
  await queueUnlessOpen(app, connection, 'retry')
  return null
}

async function queueUnlessOpen(app: App, connection: ConnectionDoc, trigger: RunTrigger): Promise<void> {
  const runs = await app.store.find(syncRuns, 'connection', connection.id)
  if (runs.some((run) => run.key === connection.key && !isOver(run))) return
  // Read after the runs: a run that has just ended shows here, and its end triggers another check of the connection.
  const now = await app.store.get(connections, connection.id)
  if (now?.lastRun === connection.lastRun && now?.key === connection.key)
    await queueAutomaticRun(app, connection, wholeRun(connection), trigger)
}

/** Whether the conflict change request of the connection is unresolved. */
async function isConflictOpen(app: App, { failure }: ConnectionDoc): Promise<boolean> {
  const doc = failure?.changeRequest === undefined ? null : await app.store.get(changeRequests, failure.changeRequest)
  return doc?.status === 'open' || doc?.status === 'draft'
}

/**
 * Queues an export if main has commits that the remote lacks. Returns `held` if an unresolved conflict prevents that,
 * or null.
 */
export async function queueDueExport(app: App, connection: ConnectionDoc): Promise<'held' | null> {
  if (connection.direction === 'import') return null
  const head = await headNow(app, connection.space, MAIN)
  if (head === null || head === connection.lastRevision || connection.lastRun === undefined) return null
  if (connection.failure?.cause === 'conflict' && (await isConflictOpen(app, connection))) return 'held'
  if (await equalsRemote(app, connection, head)) await recordSynced(app, connection, head)
  else await queueAutomaticRun(app, connection, 'export', 'merge')
  return null
}

/**
 * Whether main has the same content as the remote head. If so, an import moved main. Returns false for a folder of a
 * repository, where the export compares the content.
 */
async function equalsRemote(
  app: App,
  { space, directory, lastSeenHead }: ConnectionDoc,
  head: CommitId,
): Promise<boolean> {
  if (directory !== '' || lastSeenHead === undefined) return false
  const repo = await app.git.open(repositoryName(space))
  return (
    (await repo.objects.hasCommit(lastSeenHead)) &&
    (await repo.objects.commit(lastSeenHead)).tree === (await repo.objects.commit(head)).tree
  )
}

async function recordSynced(app: App, { id, key, lastSeenHead }: ConnectionDoc, head: CommitId): Promise<void> {
  await app.store.transact(async (tx) => {
    const doc = await tx.get(connections, id)
    if (doc?.key === key && doc.lastSeenHead === lastSeenHead)
      await tx.replace(connections, { ...doc, lastRevision: head })
  })
}

/** Whether a connection runs automatically: neither it is paused nor its space deleted. */
export async function isActive({ store }: App, { paused, space: id }: ConnectionDoc): Promise<boolean> {
  const space = paused ? null : await store.get(spaces, id).catch(orIfDamaged(null))
  return space !== null && space.deletedAt === undefined
}

/** Returns a connection that runs automatically; null if it does not, or was deleted. */
export async function findActive(app: App, id: string): Promise<Document<ConnectionDoc> | null> {
  const one = await app.store.get(connections, id).catch(orIfDamaged(null))
  return one && (await isActive(app, one)) ? one : null
}

/** Yields the connections that run automatically, of a list. */
export async function* activeConnections(
  app: App,
  order: 'due' | 'ofSpace' | 'polled',
  group: string,
): AsyncGenerator<Document<ConnectionDoc>, void> {
  for await (const one of eachInOrder(app.store, connections, order, group)) if (await isActive(app, one)) yield one
}
