/** Starts what works beside requests, and wires who wakes whom: in this process, and on the other nodes if there are any. */
import type { App } from '../domain/context/app.js'
import { type ConnectionDriver, startConnections } from '../jobs/connection-driver.js'
import { alone, type Led, led } from '../jobs/single-node.js'
import type { RequestExportWatch } from '../jobs/request-export-watch.js'
import { startWebhookSender, type WebhookSender } from '../jobs/webhook-sender.js'
import { startWorker, type Worker } from '../jobs/worker.js'
import type { RefName } from '../kernel/ids.js'
import { listenToNodes } from './listen-to-nodes.js'
import { nodeLanes } from './node-lanes.js'
import { startNodeUpkeep } from './node-upkeep.js'
import { watchNodes } from './node-watch.js'
import { isShared } from './open-documents.js'
import type { Node } from './open-node.js'

/** How often a node looks for what no hint told it of, in milliseconds. */
const POLL_MS = 60_000

/** What one of the nodes does for all. */
interface Drivers {
  sender: WebhookSender
  connections: ConnectionDriver
  stop(): Promise<void>
}

export interface Background {
  worker: Worker
  drivers: Led<Drivers>
  /** Reports that branches of a space moved, here or on another node. */
  moved(space: string, refs: readonly RefName[]): void
  idle(): Promise<void>
  /** Ends what drives, then the jobs. */
  stop(): Promise<void>
}

/** What the background of a service works with. */
interface Parts {
  requestExports: RequestExportWatch
  node: Node | null
}

/** Starts the queue of jobs, the deliveries to webhooks, and what drives connections. */
export function startBackground(app: App, { requestExports, node }: Parts): Background {
  const drivers = node
    ? led(leadOf(node), (atOnce) => startDrivers(app, node, !atOnce), drivingFailed(app))
    : alone(() => startDrivers(app, null, false))
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
      // The end of a job may be something for connections and exports to look at, and what they find another job.
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
  ({ leases }: Node): Parameters<typeof led>[0] =>
  (work) =>
    leases.tryRun('lead', ({ signal }) => work(signal))

const drivingFailed = (app: App) => (error: unknown) =>
  app.log.error({ err: error }, 'What one node does for all could not be taken on; that is tried again in a second.')

/** @param afterOthers whether another node, or an outage, may have left something half done since this one started */
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

/** Tidies the database: what nobody asks for any more, and what is in pieces. */
async function tidy({ store, log }: App, { news }: Node): Promise<void> {
  try {
    await news.trim()
    if (isShared(store)) await store.upkeep()
  } catch (error) {
    log.warn({ err: error }, 'The database could not be tidied; that is tried again in a minute.')
  }
}

interface Wired extends Parts {
  worker: Worker
  drivers: Led<Drivers>
}

/** Says what the wake-ups of the app do: nothing before the transaction is committed in which they are called, where others would look too early. */
function wire(app: App, { worker, drivers, requestExports, node }: Wired): void {
  const { store } = app
  const afterwards = isShared(store) ? (work: () => void) => store.afterwards(work) : (work: () => void) => work()
  const tell = (topic: string, text?: string) => node?.hints.send(topic, text)
  app.wakeJobs = () =>
    afterwards(() => {
      worker.wake()
      tell('jobs')
    })
  app.wakeWebhooks = (organization) =>
    afterwards(() => {
      requestExports.changed(organization)
      if (drivers.current) drivers.current.sender.wake(organization)
      else tell('webhooks', organization)
    })
  app.wakeConnections = (hint) =>
    afterwards(() => {
      requestExports.hint(hint)
      if (drivers.current) drivers.current.connections.wake(hint)
      else tell('connections', hint?.connection ?? '')
    })
}
