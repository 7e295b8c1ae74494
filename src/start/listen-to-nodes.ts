/** Handles the hints that a node receives from other nodes. */
import type { App } from '../domain/context/app.js'
import type { Worker } from '../jobs/worker.js'
import { syncRuns } from '../model/index.js'
import type { Node } from './open-node.js'

/**
 * Time for which jobs are left to the node that queued them, in milliseconds. If it has no free slot, others take them.
 */
const LEFT_MS = 100
/** Interval at which a node checks whether its runs were canceled elsewhere, in milliseconds. */
const POLL_MS = 5_000

interface Wakes {
  worker: Pick<Worker, 'wake'>
  webhooks(organization: string): void
  connections(hint?: { connection: string }): void
}

/** Starts to listen. Returns a function that stops it. */
export function listenToNodes(app: App, { hints }: Node, wakes: Wakes): () => void {
  let jobs: NodeJS.Timeout | undefined
  hints.on('jobs', () => {
    jobs ??= setTimeout(
      () => {
        jobs = undefined
        wakes.worker.wake()
      },
      LEFT_MS * (1 + Math.random()),
    ).unref()
  })
  hints.on('webhooks', (organization) => wakes.webhooks(organization))
  hints.on('connections', (connection) => wakes.connections(connection === '' ? undefined : { connection }))
  hints.on('over', (key) => app.waits.wakeHere(key))
  hints.on('presence', (message) => app.presence.hear(message))
  hints.on('end', (run) => app.running.get(run)?.abort())
  const poll = setInterval(() => void endCancelled(app).catch(() => {}), POLL_MS).unref()
  return () => {
    clearTimeout(jobs)
    clearInterval(poll)
  }
}

/** Aborts runs of this node that were canceled on another node whose hint was lost. */
async function endCancelled(app: App): Promise<void> {
  for (const [id, stop] of app.running) if ((await app.store.get(syncRuns, id))?.cancelled) stop.abort()
}
