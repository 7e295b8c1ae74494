/** Starts a service from its configuration: the one door for the command line and for tests. */
import { join, resolve } from 'node:path'
import type { Config } from './config.js'
import { keepSecret } from './disk/secret-file.js'
import { queueMissingParts } from './domain/openapi/queue.js'
import { announceAll, forgetLostHeads } from './domain/commits/announce.js'
import type { App } from './domain/context/app.js'
import { type FirstStart, firstStart } from './domain/people/first-start.js'
import { type Repair, reconcile } from './domain/upkeep/reconcile.js'
import { type Announcer, startAnnouncer } from './jobs/announcer.js'
import { type ConnectionDriver, startConnections } from './jobs/connection-driver.js'
import { type LfsStarter, startLfs } from './jobs/lfs-starter.js'
import { type SearchUpdater, startSearchUpdater } from './jobs/search-updater.js'
import { type RequestExportWatch, startRequestExportWatch } from './jobs/request-export-watch.js'
import { startTranslations, type TranslationStarter } from './jobs/translation-starter.js'
import { startWebhookSender } from './jobs/webhook-sender.js'
import { startWorker } from './jobs/worker.js'
import { type Clock, systemClock } from './kernel/clock.js'
import { createLog, type Log } from './kernel/log.js'
import { MemoryBudget } from './kernel/memory-budget.js'
import { createPool } from './parsing/index.js'
import { Closers } from './start/closers.js'
import { openApp } from './start/open-app.js'
import { serveApi } from './start/serve-api.js'

/** A running service. */
export interface Service {
  url: string
  app: App
  first: FirstStart
  /** What the start had to repair. */
  repairs: Repair[]
  /** Resolves when no job is running or ready to run, and no connection is looked at. */
  idle(): Promise<void>
  /** Finishes what is running, then closes everything. */
  close(): Promise<void>
}

/** What tests and embedders may put in place of the real thing. */
export interface Overrides {
  clock?: Clock
  log?: Log
  /** Do not run queued jobs. */
  withoutWorker?: boolean
  /** Makes the threads for tasks that depend on their arguments alone, which several services of one process may share. */
  makePool?: typeof createPool
}

const JOBS_AT_ONCE = 2

/** Starts a service. Throws `FolderLocked` if another server holds the data or the repositories. */
export async function start(config: Config, overrides: Overrides = {}): Promise<Service> {
  const log = overrides.log ?? createLog({ level: config.logLevel })
  const budget = new MemoryBudget(config.cacheBytes)
  const closers = new Closers()
  let announcer: Announcer | undefined
  let searches: SearchUpdater | undefined
  let translations: TranslationStarter | undefined
  let lfs: LfsStarter | undefined
  let requestExports: RequestExportWatch | undefined
  let connections: ConnectionDriver | undefined
  try {
    const moved: Announcer['moved'] = (repository, refs) => {
      announcer?.moved(repository, refs)
      searches?.moved(repository, refs)
      translations?.moved(repository, refs)
      lfs?.moved(repository, refs)
      requestExports?.moved(repository, refs)
      connections?.moved(repository, refs)
    }
    const app = await openApp(config, { log, clock: overrides.clock ?? systemClock, budget, moved, makePool: overrides.makePool ?? createPool }, closers)
    const repairs = await catchUp(app, log)
    announcer = startAnnouncer(app)
    searches = startSearchUpdater(app)
    translations = startTranslations(app)
    lfs = startLfs(app)
    requestExports = startRequestExportWatch(app)
    const first = await bootstrap(app, config)
    const api = await serveApi(app, config, { log, budget })
    if (config.publicUrl === null) app.settings.publicUrl = api.url
    const background = overrides.withoutWorker ? null : startBackground(app, requestExports)
    connections = background?.connections
    const close = async (): Promise<void> => {
      app.waits.close()
      await api.stop()
      // A book may take minutes: it is begun again after the next start.
      await app.printer.close()
      await connections?.stop()
      await background?.worker.stop()
      await app.locks.idle()
      await announcer?.stop()
      await searches?.stop()
      await translations?.stop()
      await lfs?.stop()
      await requestExports?.stop()
      await background?.sender.stop()
      await closers.close()
    }
    return { url: app.settings.publicUrl, app, first, repairs, idle: async () => background?.idle(), close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** Brings documents into agreement with Git after a crash, or after an admin used plain Git, and writes the events of what moved meanwhile. */
async function catchUp(app: App, log: Log): Promise<Repair[]> {
  const repairs = await reconcile(app)
  for (const repair of repairs) log.warn(repair, 'reconciled')
  await forgetLostHeads(app)
  await queueMissingParts(app)
  await announceAll(app, { branches: true })
  return repairs
}

/** Makes the first user, organization and token if there are none; the token is kept in a file of the data folder. */
async function bootstrap(app: App, config: Config): Promise<FirstStart> {
  const first = await firstStart(app, { email: config.adminEmail ?? 'admin@localhost', token: config.adminToken })
  if (first.token !== null) await keepSecret(join(resolve(config.dataDir), 'admin-token'), () => first.token as string, { replace: true })
  return first
}

/** Starts what works beside requests: the queue of jobs, the deliveries to webhooks, and what drives connections. */
function startBackground(app: App, requestExports: RequestExportWatch) {
  const worker = startWorker(app, { concurrency: JOBS_AT_ONCE })
  app.wakeJobs = worker.wake
  const sender = startWebhookSender(app)
  app.wakeWebhooks = (organization) => {
    sender.wake(organization)
    requestExports.changed(organization)
  }
  const connections = startConnections(app)
  app.wakeConnections = (hint) => {
    connections.wake(hint)
    requestExports.hint(hint)
  }
  const idle = async (): Promise<void> => {
    // The end of a job may be something for connections and exports to look at, and what they find another job.
    do {
      await connections.idle()
      await worker.idle()
    } while ((await requestExports.idle()) || connections.isBusy)
  }
  return { worker, sender, connections, idle }
}
