/** Starts a service from its configuration. The command line and the tests use this entry point. */
import { required } from './kernel/defined.js'
import { join, resolve } from 'node:path'
import type { Config } from './config.js'
import { FolderWatch } from './disk/folder-watch.js'
import { keepSecret } from './disk/secret-file.js'
import type { Template } from './content/templates/template.js'
import type { App } from './domain/context/app.js'
import { createSampleSite } from './domain/sites/sample-site.js'
import { type FirstStart, firstStart } from './domain/people/first-start.js'
import type { SetAside } from './git/index.js'
import type { Repair } from './domain/upkeep/reconcile.js'
import type { Reload } from './site/reload.js'
import { type Clock, systemClock } from './kernel/clock.js'
import type { RefName } from './kernel/ids.js'
import { createLog, type Log } from './kernel/log.js'
import { MemoryBudget } from './kernel/memory-budget.js'
import { createPool } from './threads/index.js'
import type { Background } from './start/background.js'
import { catchUp } from './start/catch-up.js'
import { Closers } from './start/closers.js'
import { openControl } from './start/control-socket.js'
import { openApp } from './start/open-app.js'
import { type Node, openNode } from './start/open-node.js'
import { recordNoted } from './start/operator/audit.js'
import { metricsOf } from './start/metrics-of.js'
import { missingParts, operatorFailures } from './start/operator-failures.js'
import { isReadOnly, resumeWhenWritable } from './start/read-only.js'
import { openServers, type Served } from './start/open-servers.js'
import { startWatchers, type Watchers } from './start/watchers.js'
import { tellSetAside } from './domain/events/events.js'
import { isRefName } from './git/index.js'
import type { StoreOptions } from './store/index.js'

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
  /**
   * Finishes running work, then closes everything.
   * @param idleMs how long connections without a request stay open, for requests that are on their way; default: 0
   */
  close(idleMs?: number): Promise<void>
}

/** Replacements that tests and embedders may provide. */
export interface Overrides {
  clock?: Clock
  log?: Log
  /** Whether damaged files of documents are replaced by what is readable of them, and the limit of the log until then. */
  documents?: Pick<StoreOptions, 'repair' | 'maxKeptLogBytes'>
  /** Do not run queued jobs. */
  withoutWorker?: boolean
  /** The servers to start; default: both. A command that only uses the app starts none. */
  serves?: readonly Served[]
  /** Creates the threads for pure tasks. Several services of one process may share them. */
  makePool?: typeof createPool
  /** Duration of a lease of this node that is not renewed, in milliseconds. */
  leaseMs?: number
  /** Reloads the open pages of sites after changes, in a local preview. */
  reload?: Reload
  /** Default: the included templates and those of the operator. */
  templates?: ReadonlyMap<string, Template>
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
  const work: BackgroundWork = { watchers: null, background: null }
  try {
    const node = await openNode(config, overrides.leaseMs, closers)
    const { moved, movedElsewhere } = moveListeners(work, node)
    const { clock = systemClock, makePool = createPool, templates, documents = {} } = overrides
    // Before the app is open, set-aside refs are only in the log.
    let opened: App | undefined
    const setAside = (repository: string, found: readonly SetAside[]): void =>
      void (opened && tellSetAside(opened, repository, found))
    const listening = { moved, movedElsewhere, setAside }
    const app = await openApp(
      config,
      { log, clock, budget, ...listening, makePool, node, templates, documents },
      closers,
    )
    opened = app
    const takeUp = () => catchUp(app, node, () => bootstrap(app, config))
    const readOnly = await isReadOnly(app.store, folders, log)
    const { repairs, result: first } = readOnly ? { repairs: [], result: await bootstrap(app, config) } : await takeUp()
    const watchers = startWatchers(app, () => work.background === null || work.background.drivers.current !== null)
    work.watchers = watchers
    const around = { log, folders, budget, node, metrics: metricsOf(app, config, budget), reload: overrides.reload }
    const servers = await openServers(app, config, { ...around, organization: first.organization.id }, overrides.serves)
    app.texts.warm()
    let closeControl = async (): Promise<void> => {}
    const begin = async (): Promise<void> => {
      await recordNoted(app, config.dataDir)
      closeControl = await openControlOf(app, config, folders)
      if (overrides.withoutWorker) return
      const { startBackground } = await import('./start/background.js')
      work.background = startBackground(app, { requestExports: watchers.requestExports, node })
    }
    if (!readOnly) await begin()
    const resumption = readOnly ? resumeWhenWritable(app.store, folders, log, () => takeUp().then(begin)) : null
    node?.hints.on('moved', (hint) => {
      const [space = '', ...refs] = hint.split(' ')
      movedElsewhere(space, refs.filter(isRefName))
    })
    const close = async (idleMs?: number): Promise<void> => {
      await resumption?.stop()
      app.waits.close()
      await Promise.all([servers.stop(idleMs), closeControl()])
      await stopWork(app, work)
      await closers.close()
    }
    const { publicUrl, sites: at } = app.settings
    return { url: publicUrl, sites: at.origin, app, first, repairs, idle: async () => work.background?.idle(), close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** Opens the socket for commands of operators. */
const openControlOf = (app: App, { dataDir }: Config, folders: FolderWatch): Promise<() => Promise<void>> =>
  openControl(app, { dataDir, explain: operatorFailures(folders), missing: () => missingParts(app, folders) })

/** The background work of a service. The start fills it in; `background` stays null without a worker. */
interface BackgroundWork {
  watchers: Watchers | null
  background: Background | null
}

/** Returns the listeners for moves of branches: by this node, which notifies the other ones, and by another node. */
function moveListeners(work: BackgroundWork, node: Node | null) {
  return {
    moved: (repository: string, refs: readonly RefName[]): void => {
      work.watchers?.moved(repository, refs)
      work.background?.moved(repository, refs)
      node?.hints.send('moved', [repository, ...refs].join(' '))
    },
    movedElsewhere: (repository: string, refs: readonly RefName[]): void => {
      work.watchers?.searches.moved(repository, refs)
      work.background?.moved(repository, refs)
    },
  }
}

/** Stops all work after the last request, each part before the parts that it uses. */
async function stopWork(app: App, { watchers, background }: BackgroundWork): Promise<void> {
  // A large PDF may take minutes. The job starts again after the next start.
  await app.printer.close()
  await background?.stop()
  await app.locks.idle()
  await watchers?.stop()
  await background?.drivers.stop()
}

/**
 * Creates the first user, organization and token if there are none, and the sample site of a new service. The token
 * is kept in a file of the data folder.
 */
async function bootstrap(app: App, config: Config): Promise<FirstStart> {
  const first = await firstStart(app, { email: config.adminEmail ?? 'admin@localhost', token: config.adminToken })
  if (first.token !== null)
    await keepSecret(join(resolve(config.dataDir), 'admin-token'), () => required(first.token), { replace: true })
  if (first.isNew && config.sampleSite)
    await createSampleSite(app, first.user, first.organization).catch((error: unknown) =>
      app.log.error({ error }, 'The sample site could not be created. Everything else works.'),
    )
  return first
}
