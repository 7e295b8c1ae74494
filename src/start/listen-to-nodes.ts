/** What a node does when another one gives it a hint. */
import type { App } from '../domain/context/app.js'
import type { Worker } from '../jobs/worker.js'
import { syncRuns } from '../model/index.js'
import type { Node } from './open-node.js'

/** Jobs are left to the node that queued them for so long, in milliseconds: if it has no place for them, others take them. */
const LEFT_MS = 100
/** How often a node looks whether its runs were cancelled elsewhere, in milliseconds. */
const POLL_MS = 5_000

interface Wakes {
  worker: Pick<Worker, 'wake'>
  webhooks(organization: string): void
  connections(hint?: { connection: string }): void
}

/** Starts to listen; returns what ends that. */
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
  hints.on('end', (run) => app.running.get(run)?.abort())
  const poll = setInterval(() => void endCancelled(app).catch(() => {}), POLL_MS).unref()
  return () => {
    clearTimeout(jobs)
    clearInterval(poll)
  }
}

/** Ends the runs of this node that were cancelled on another one, whose hint was lost. */
async function endCancelled(app: App): Promise<void> {
  for (const [id, stop] of app.running) if ((await app.store.get(syncRuns, id))?.cancelled) stop.abort()
}
