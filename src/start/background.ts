/** Starts the background work, and connects the wake-ups within this process and between nodes. */
import type { App } from '../domain/context/app.js'
import { type ConnectionDriver, startConnections } from '../jobs/connection-driver.js'
import type { Lanes } from '../jobs/lanes.js'
import { runWithoutNodes, type Leadership, runAsLeader } from '../jobs/single-node.js'
import type { RequestExportWatch } from '../jobs/request-export-watch.js'
import { startWebhookSender, type WebhookSender } from '../jobs/webhook-sender.js'
import { startWorker, type Worker } from '../jobs/worker.js'
import type { RefName } from '../kernel/ids.js'
import { listenToNodes } from './listen-to-nodes.js'
import { startNodeUpkeep } from './node-upkeep.js'
import { watchNodes } from './node-watch.js'
import { isShared } from './open-documents.js'
import { deadOf, type Node } from './open-node.js'

/** Interval at which a node searches for work without a hint, in milliseconds. */
const POLL_MS = 60_000
/** Prefix of the leases of lanes. */
const LANES = 'lane:'
/** Interval at which a node searches for jobs that others left, in milliseconds. */
const LANE_POLL_MS = 5_000

/** The work that one node does for all. */
interface Drivers {
  sender: WebhookSender
  connections: ConnectionDriver
  stop(): Promise<void>
}

export interface Background {
  worker: Worker
  drivers: Leadership<Drivers>
  /** Reports that branches of a space moved, here or on another node. */
  moved(space: string, refs: readonly RefName[]): void
  idle(): Promise<void>
  /** Stops the drivers, then the jobs. */
  stop(): Promise<void>
}

/** The dependencies of the background work. */
interface Parts {
  requestExports: RequestExportWatch
  node: Node | null
}

/** Starts the job queue, the webhook deliveries, and the connection driver. */
export function startBackground(app: App, { requestExports, node }: Parts): Background {
  const drivers = node
    ? runAsLeader(leadOf(node), (atOnce) => startDrivers(app, node, !atOnce), drivingFailed(app))
    : runWithoutNodes(() => startDrivers(app, null, false))
  const worker = startWorker(app, {
    isLeader: () => drivers.current !== null,
    ...(node ? { lanes: nodeLanes(node) } : {}),
  })
  wire(app, { worker, drivers, requestExports, node })
  const deaf = node
    ? listenToNodes(app, node, {
        worker,
        webhooks: (organization) => drivers.current?.sender.wake(organization),
        connections: (hint) => drivers.current?.connections.wake(hint),
      })
    : null
  const upkeep = node ? startNodeUpkeep(app) : null
  return {
    worker,
    drivers,
    moved: (space, refs) => drivers.current?.connections.moved(space, refs),
    idle: async () => {
      // The end of a job may create work for connections and exports, and these may queue another job.
      do {
        await drivers.current?.connections.idle()
        await worker.idle()
      } while ((await requestExports.idle()) || drivers.current?.connections.isBusy)
    },
    stop: async () => {
      deaf?.()
      await drivers.current?.connections.stop()
      await upkeep?.stop()
      await worker.stop()
    },
  }
}

const leadOf =
  ({ leases }: Node): Parameters<typeof runAsLeader>[0] =>
  (work) =>
    leases.tryRun('lead', ({ signal }) => work(signal))

const drivingFailed = (app: App) => (error: unknown) =>
  app.log.error(
    { err: error },
    'This node could not start the work that one node does for all. The next attempt is in a second.',
  )

/** @param afterOthers whether another node, or an outage, may have left unfinished work since this node started */
function startDrivers(app: App, node: Node | null, afterOthers: boolean): Drivers {
  const sender = startWebhookSender(app, node ? { pollMs: POLL_MS } : {})
  const connections = startConnections(app)
  const poll = node
    ? setInterval(() => {
        connections.wake()
        void tidy(app, node)
      }, POLL_MS).unref()
    : undefined
  const watch = node ? watchNodes(app, node, afterOthers) : null
  return {
    sender,
    connections,
    stop: async () => {
      clearInterval(poll)
      await watch?.stop()
      await connections.stop()
      await sender.stop()
    },
  }
}

/** Cleans up the database: deletes expired news, and compacts fragmented data. */
async function tidy({ store, log }: App, { news }: Node): Promise<void> {
  try {
    await news.trim()
    if (isShared(store)) await store.upkeep()
  } catch (error) {
    log.warn({ err: error }, 'The database could not be cleaned up. The next attempt is in a minute.')
  }
}

interface Wired extends Parts {
  worker: Worker
  drivers: Leadership<Drivers>
}

/** Connects the app's wake-ups with the work on this node, or with the node that does it. */
function wire(app: App, { worker, drivers, requestExports, node }: Wired): void {
  const tell = (topic: string, text?: string) => node?.hints.send(topic, text)
  app.wakes.connect({
    jobs: () => {
      worker.wake()
      tell('jobs')
    },
    webhooks: (organization) => {
      requestExports.changed(organization)
      if (drivers.current) drivers.current.sender.wake(organization)
      else tell('webhooks', organization)
    },
    connections: (hint) => {
      requestExports.hint(hint)
      if (drivers.current) drivers.current.connections.wake(hint)
      else tell('connections', hint?.connection ?? '')
    },
  })
}

/** Returns the lanes of jobs on nodes, with one lease each. */
const nodeLanes = (node: Node): Lanes => ({
  take: async (lane, work) => {
    const taken = await node.leases.tryRun(LANES + lane, async ({ signal }) => {
      await work(signal)
      return true
    })
    return taken === true
  },
  free: async (lanes) => {
    const names = await node.leases.findFree(lanes.map((lane) => LANES + lane))
    return new Set(lanes.filter((lane) => names.has(LANES + lane)))
  },
  dead: (keepers) => deadOf(node, keepers),
  pollMs: LANE_POLL_MS,
})
