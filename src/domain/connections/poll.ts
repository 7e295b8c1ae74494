/** Reads the heads of all connections to a repository with one `git ls-remote`, and queues imports of new commits. */
import { required } from '../../kernel/defined.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type ConnectionDoc, connections, type RunTrigger, spaces } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { repositoryName } from '../context/refs.js'
import { causeOf, explain } from '../git-sync/failure.js'
import { describeRemote, withCredential } from '../git-sync/remote.js'
import { gitCredentialOf } from './credential.js'
import { recordConnectionFailure, recordConnectionRecovery } from './notices.js'
import { queueAutomaticRun } from './queue-run.js'

/** Maximum number of refs per `git ls-remote`, since their names are process arguments. */
const REFS_AT_ONCE = 200

/**
 * Reads the refs that the connections of a group follow. Missing refs are absent from the result. Throws `RemoteError`,
 * `SyncFailure`.
 */
async function readHeads(
  app: App,
  group: readonly ConnectionDoc[],
  signal: AbortSignal,
): Promise<Map<RefName, CommitId>> {
  const first = required(group[0])
  const repo = await app.git.open(repositoryName(first.space))
  const remote = withCredential(first, await gitCredentialOf(app, first), signal)
  const refs = [...new Set(group.map(({ ref }) => ref))]
  const heads = new Map<RefName, CommitId>()
  for (let at = 0; at < refs.length; at += REFS_AT_ONCE)
    for (const [ref, head] of await repo.remote.heads(remote, refs.slice(at, at + REFS_AT_ONCE))) heads.set(ref, head)
  return heads
}

/**
 * Polls the repository of a group of connections (`pollGroupOf`). Returns false if the poll failed; the cause is recorded
 * in the connections.
 * @param trigger the reason for the poll
 */
export async function pollGroup(
  app: App,
  group: readonly ConnectionDoc[],
  trigger: RunTrigger,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const heads = await readHeads(app, group, signal)
    for (const { id, key, ref } of group) await compare(app, { id, key }, heads.get(ref) ?? null, trigger)
    app.meters.polls.inc({ outcome: 'success' })
    return true
  } catch (error) {
    if (signal.aborted) return false
    const message = explain(error, false)
    // The poll used the repository of the first space, which may have been purged since. Retry with the next space.
    if (message === null && (await isPurged(app, required(group[0]))))
      return group.length === 1 || pollGroup(app, group.slice(1), trigger, signal)
    if (message === null) throw error
    app.meters.polls.inc({ outcome: 'failure' })
    for (const one of group) await recordFailure(app, one, causeOf(error), message)
    return false
  }
}

const isPurged = async (app: App, { space }: ConnectionDoc): Promise<boolean> =>
  (await app.store.get(spaces, space)) === null

async function record(
  app: App,
  id: string,
  write: (tx: Transaction, doc: Document<ConnectionDoc>) => Promise<void>,
): Promise<void> {
  await app.store.transact(async (tx) => {
    const doc = await tx.get(connections, id)
    if (doc) await write(tx, doc)
  })
  app.wakes.jobs()
}

/** Records and logs a failed poll. `message` is for users and contains no credentials. */
async function recordFailure(app: App, { id, space }: ConnectionDoc, cause: string, message: string): Promise<void> {
  await record(app, id, (tx, doc) => recordConnectionFailure(app, tx, doc, { cause, message, byPoll: true }))
  app.log.warn({ connection: id, space, cause, reason: message }, 'A poll of a connection failed.')
}

/**
 * Compares the branch head with the head that was last seen. If they are equal, nothing is written. The connection is
 * read again, since a run may have ended during the poll. Before the first run has ended, a poll is ignored: that run
 * reads the head itself.
 */
async function compare(
  app: App,
  { id, key }: Pick<ConnectionDoc, 'id' | 'key'>,
  head: CommitId | null,
  trigger: RunTrigger,
): Promise<void> {
  const connection = await app.store.get(connections, id)
  if (connection?.key !== key || (trigger === 'poll' && connection.lastRun === undefined)) return
  if (head === null) {
    // The first export creates a branch that was never seen.
    if (connection.direction === 'both' && connection.lastSeenHead === undefined) return
    const message = `${describeRemote({ ...connection, ref: connection.ref })} does not exist: the branch was renamed or deleted. Correct \`ref\`, or create the branch again.`
    return recordFailure(app, connection, 'missing-ref', message)
  }
  if (connection.failure?.byPoll)
    await record(app, id, async (tx, doc) => (doc.failure?.byPoll ? recordConnectionRecovery(app, tx, doc) : undefined))
  if (head !== connection.lastSeenHead) await queueAutomaticRun(app, connection, 'import', trigger)
}
