/** Asks a repository for the heads of all connections to it by one `git ls-remote`, and queues imports of what is new. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type ConnectionDoc, connections, type RunTrigger, spaces } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { repositoryName } from '../context/refs.js'
import { causeOf, explain } from '../git-sync/failure.js'
import { describeRemote, withCredential } from '../git-sync/remote.js'
import { gitCredentialOf } from './credential.js'
import { failed, recovered } from './notices.js'
import { queueAutomaticRun } from './queue-run.js'

/** Branches that are asked for at once: their names are arguments of a process. */
const REFS_AT_ONCE = 200

/** The refs of a repository that connections ask for, as far as it has them. Throws `RemoteError`, `SyncFailure`. */
async function askForHeads(
  app: App,
  group: readonly ConnectionDoc[],
  signal: AbortSignal,
): Promise<Map<RefName, CommitId>> {
  const first = group[0] as ConnectionDoc
  const repo = await app.git.open(repositoryName(first.space))
  const remote = withCredential(first, await gitCredentialOf(app, first), signal)
  const refs = [...new Set(group.map(({ ref }) => ref as RefName))]
  const heads = new Map<RefName, CommitId>()
  for (let at = 0; at < refs.length; at += REFS_AT_ONCE)
    for (const [ref, head] of await repo.remoteHeads(remote, refs.slice(at, at + REFS_AT_ONCE))) heads.set(ref, head)
  return heads
}

/**
 * Looks at the repository of a group of connections (`groupOf`). Returns false if it could not be asked; why is recorded in the connections.
 * @param trigger why it is looked at
 */
export async function pollGroup(
  app: App,
  group: readonly ConnectionDoc[],
  trigger: RunTrigger,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const heads = await askForHeads(app, group, signal)
    for (const { id, key, ref } of group) await compare(app, { id, key }, heads.get(ref as RefName) ?? null, trigger)
    app.meters.polls.inc({ outcome: 'success' })
    return true
  } catch (error) {
    if (signal.aborted) return false
    const message = explain(error, false)
    // Through the repository of the first space, which may have been purged meanwhile.
    if (message === null && (await isPurged(app, group[0] as ConnectionDoc)))
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
  app.wakeJobs()
}

/** Records that a poll failed, and logs it. `message` is for users and holds no credentials. */
async function recordFailure(app: App, { id, space }: ConnectionDoc, cause: string, message: string): Promise<void> {
  await record(app, id, (tx, doc) => failed(app, tx, doc, { cause, message, byPoll: true }))
  app.log.warn({ connection: id, space, cause, reason: message }, 'A poll of a connection failed.')
}

/**
 * Compares the head of the branch with the one that was seen last. A poll that finds nothing new writes nothing. The connection is read again: a run
 * may have ended since the repository was asked. While the first run lasts, a poll says nothing that this run does not find by itself.
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
    // A branch that was never seen is made by the first export.
    if (connection.direction === 'both' && connection.lastSeenHead === undefined) return
    const message = `${describeRemote({ ...connection, ref: connection.ref as RefName })} does not exist: the branch was renamed or deleted. Correct ref, or make the branch again.`
    return recordFailure(app, connection, 'missing-ref', message)
  }
  if (connection.failure?.byPoll)
    await record(app, id, async (tx, doc) => (doc.failure?.byPoll ? recovered(app, tx, doc) : undefined))
  if (head !== connection.lastSeenHead) await queueAutomaticRun(app, connection, 'import', trigger)
}
