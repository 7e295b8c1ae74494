/** Starts a service from its configuration. The command line and the tests use this entry point. */
import { join, resolve } from 'node:path'
import type { Config } from './config.js'
import { FolderWatch } from './disk/folder-watch.js'
import { keepSecret } from './disk/secret-file.js'
import type { App } from './domain/context/app.js'
import { tellSetAside } from './domain/events/ref-set-aside.js'
import { type FirstStart, firstStart } from './domain/people/first-start.js'
import type { SetAside } from './git/index.js'
import type { Repair } from './domain/upkeep/reconcile.js'
import { type Clock, systemClock } from './kernel/clock.js'
import type { RefName } from './kernel/ids.js'
import { createLog, type Log } from './kernel/log.js'
import { MemoryBudget } from './kernel/memory-budget.js'
import { createPool } from './threads/index.js'
import { type Background, startBackground } from './start/background.js'
import { catchUp } from './start/catch-up.js'
import { Closers } from './start/closers.js'
import { openControl } from './start/control-socket.js'
import { openApp } from './start/open-app.js'
import { openNode } from './start/open-node.js'
import { metricsOf } from './start/metrics-of.js'
import { operatorFailures } from './start/operator-failures.js'
import { isReadOnly, resumeWhenWritable } from './start/read-only.js'
import { serveApi } from './start/serve-api.js'
import { serveSites } from './start/serve-sites.js'
import { startWatchers, type Watchers } from './start/watchers.js'

/** A running service. */
export interface Service {
  url: string
  /** The origin of the published sites. */
  sites: string
  app: App
  first: FirstStart
  /** The repairs that the start made. */
  repairs: Repair[]
  /** Resolves when no job is running or ready to run, and no connection pass is running. */
  idle(): Promise<void>
  /** Finishes running work, then closes everything. */
  close(): Promise<void>
}

/** Replacements that tests and embedders may provide. */
export interface Overrides {
  clock?: Clock
  log?: Log
  /** Do not run queued jobs. */
  withoutWorker?: boolean
  /** Creates the threads for pure tasks. Several services of one process may share them. */
  makePool?: typeof createPool
  /** Duration of a lease of this node that is not renewed, in milliseconds. */
  leaseMs?: number
}

/** Starts a service. Throws `FolderLocked` if another server holds the data or the repositories. */
export async function start(config: Config, overrides: Overrides = {}): Promise<Service> {
  const log = overrides.log ?? createLog({ level: config.logLevel })
  const budget = new MemoryBudget(config.cacheBytes)
  const closers = new Closers()
  const folders = new FolderWatch({
    BINDERY_DATA_DIR: resolve(config.dataDir),
    BINDERY_REPOS_DIR: resolve(config.reposDir),
  })
  let watchers: Watchers | undefined
  let background: Background | null = null
  try {
    const node = await openNode(config, overrides.leaseMs, closers)
    const moved = (repository: string, refs: readonly RefName[]): void => {
      watchers?.moved(repository, refs)
      background?.moved(repository, refs)
      node?.hints.send('moved', [repository, ...refs].join(' '))
    }
    const movedElsewhere = (repository: string, refs: readonly RefName[]): void => {
      watchers?.searches.moved(repository, refs)
      background?.moved(repository, refs)
    }
    const { clock = systemClock, makePool = createPool } = overrides
    // Before the app is open, set-aside refs are only in the log.
    let opened: App | undefined
    const setAside = (repository: string, found: readonly SetAside[]): void =>
      void (opened && tellSetAside(opened, repository, found))
    const app = await openApp(config, { log, clock, budget, moved, movedElsewhere, setAside, makePool, node }, closers)
    opened = app
    const takeUp = () => catchUp(app, node, () => bootstrap(app, config))
    const readOnly = await isReadOnly(folders, log)
    const { repairs, result: first } = readOnly ? { repairs: [], result: await bootstrap(app, config) } : await takeUp()
    watchers = startWatchers(app, () => background === null || background.drivers.current !== null)
    const around = { log, folders, budget, node, metrics: metricsOf(app, config, budget) }
    const api = await serveApi(app, config, around)
    if (config.publicUrl === null) app.settings.publicUrl = api.url
    const sites = await serveSites(app, config, around)
    if (config.sitesOrigin === null) app.settings.sites.origin = sites.url
    app.texts.warm()
    const { requestExports } = watchers
    const work = (): void =>
      void (background = overrides.withoutWorker ? null : startBackground(app, { requestExports, node }))
    let closeControl = async (): Promise<void> => {}
    const begin = async (): Promise<void> => {
      closeControl = await openControl(app, { dataDir: config.dataDir, explain: operatorFailures(folders) })
      work()
    }
    if (!readOnly) await begin()
    const resumption = readOnly ? resumeWhenWritable(folders, log, () => takeUp().then(begin)) : null
    node?.hints.on('moved', (hint) => {
      const [space = '', ...refs] = hint.split(' ') as [string, ...RefName[]]
      movedElsewhere(space, refs)
    })
    const close = async (): Promise<void> => {
      await resumption?.stop()
      app.waits.close()
      await Promise.all([api.stop(), sites.stop(), closeControl()])
      // A large PDF may take minutes. The job starts again after the next start.
      await app.printer.close()
      await background?.stop()
      await app.locks.idle()
      await watchers?.stop()
      await background?.drivers.stop()
      await closers.close()
    }
    const { publicUrl, sites: at } = app.settings
    return { url: publicUrl, sites: at.origin, app, first, repairs, idle: async () => background?.idle(), close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** Creates the first user, organization and token if there are none. The token is kept in a file of the data folder. */
async function bootstrap(app: App, config: Config): Promise<FirstStart> {
  const first = await firstStart(app, { email: config.adminEmail ?? 'admin@localhost', token: config.adminToken })
  if (first.token !== null)
    await keepSecret(join(resolve(config.dataDir), 'admin-token'), () => first.token as string, { replace: true })
  return first
}
