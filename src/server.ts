import type { Server } from 'node:http'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { endpoints } from './api/index.js'
import { createApi } from './api/pipeline/create-api.js'
import { createHttpServer } from './api/pipeline/http-server.js'
import { createMetrics } from './api/pipeline/metrics.js'
import { networkOf } from './api/pipeline/network-of.js'
import { rateLimit } from './api/pipeline/rate-limit.js'
import { resolvers } from './api/resolvers.js'
import { can, checkStillMay } from './api/service.js'
import { bearer } from './auth/index.js'
import type { Config } from './config.js'
import { authenticate } from './domain/accounts/accounts.js'
import type { App } from './domain/context/app.js'
import type { Actor } from './domain/context/actor.js'
import { RevisionCache } from './domain/revisions/revision-cache.js'
import { openTexts } from './domain/context/open-texts.js'
import { Previews } from './domain/context/previews.js'
import { type FirstStart, firstStart } from './domain/people/first-start.js'
import { guardedApp, unasked } from './domain/context/guarded-app.js'
import { Gatherer } from './domain/context/gatherer.js'
import { recordRequest } from './domain/events/audit.js'
import { announceAll, forgetLostHeads } from './domain/commits/announce.js'
import { migrations } from './domain/upkeep/migrations.js'
import { KeyedMutex } from './domain/context/keyed-mutex.js'
import { RefMoves } from './domain/context/ref-moves.js'
import { type Repair, reconcile } from './domain/upkeep/reconcile.js'
import { makeDurableFolder } from './disk/durable-folder.js'
import { createRemoteOperations, openGit } from './git/index.js'
import { type Announcer, startAnnouncer } from './jobs/announcer.js'
import { startWebhookSender } from './jobs/webhook-sender.js'
import { startWorker } from './jobs/worker.js'
import { type Clock, systemClock } from './kernel/clock.js'
import { ServiceError } from './kernel/errors.js'
import { createLog, type Log } from './kernel/log.js'
import { MemoryBudget } from './kernel/memory-budget.js'
import { documentTables, journals } from './model/index.js'
import { createHttpClient, createMailer, resolveHost } from './outbound/index.js'
import { makePrivate } from './disk/private-files.js'
import { openStore } from './store/index.js'
import { keepSecret } from './disk/secret-file.js'

/** A running service. */
export interface Service {
  url: string
  app: App
  first: FirstStart
  /** What the start had to repair. */
  repairs: Repair[]
  /** Finishes what is running, then closes everything. */
  close(): Promise<void>
}

/** What tests and embedders may put in place of the real thing. */
export interface Overrides {
  clock?: Clock
  log?: Log
  /** Do not run queued jobs. */
  withoutWorker?: boolean
}

const NAME = 'Bindery'
/** Waiting edits of a space that one move of its refs takes along. */
const EDITS_AT_ONCE = 64
/** Longest wait for requests under way when the service stops. */
const GRACE_MS = 30_000

/**
 * Starts a service: the one door for production and tests. Throws `FolderLocked` where another server holds the data or the repositories.
 */
export async function start(config: Config, overrides: Overrides = {}): Promise<Service> {
  const log = overrides.log ?? createLog({ level: config.logLevel })
  const dataDir = resolve(config.dataDir)
  const storeDir = join(dataDir, 'store')
  await makeDurableFolder(storeDir)
  // Also what was there: names, addresses, hashes of tokens and keys are for the owner alone.
  makePrivate(dataDir, { deep: false })
  makePrivate(storeDir, { deep: true })
  const store = await openStore({
    dir: storeDir,
    tables: documentTables,
    journals,
    migrations,
    log: ({ event, ...fields }) => log.info(fields, `store: ${event}`),
  })
  const closers: Array<() => Promise<unknown>> = [() => store.close()]
  let announcer: Announcer | undefined
  try {
    const budget = new MemoryBudget(config.cacheBytes)
    const allowedProtocols = config.remoteProtocols.filter((protocol) => protocol !== 'ssh' || config.sshKeyFile !== null)
    const git = await openGit({
      budget,
      reposDir: resolve(config.reposDir),
      maxBlobBytes: config.blobLimitBytes,
      remote: createRemoteOperations({ allowedProtocols, allowPrivateNetworks: config.allowPrivateNetworks, resolve: resolveHost, ...sshIdentity(config) }),
      notice: (message) => log.warn({}, message),
      moved: (repository, refs) => announcer?.moved(repository, refs),
    })
    closers.unshift(() => git.close())
    // Content of private spaces is in there; Git itself writes files for all to read.
    makePrivate(resolve(config.reposDir), { deep: false })
    const locks = new KeyedMutex()
    const http = createHttpClient({ allowPrivateNetworks: config.allowPrivateNetworks, agent: `${NAME}/${await version()}` })
    closers.unshift(() => http.close())
    const mail = config.smtpUrl === null ? null : createMailer({ url: config.smtpUrl, from: config.mailFrom as string })
    if (mail) closers.unshift(async () => mail.close())
    const { texts, close: closeTexts } = openTexts(budget)
    closers.unshift(closeTexts)
    const signIns = rateLimit('sign-in', config.signInRate)
    const app: App = {
      ...unasked,
      store,
      git,
      http,
      mail,
      ...(signIns ? { limitSignIn: (address: string) => signIns(networkOf(address)) } : {}),
      clock: overrides.clock ?? systemClock,
      locks,
      moves: new RefMoves(),
      previews: new Previews(),
      edits: new Gatherer(locks, EDITS_AT_ONCE),
      content: new RevisionCache(budget),
      texts,
      wakeJobs: () => {},
      wakeWebhooks: () => {},
      // bound: queued imports and exports; gone with their job
      credentials: new Map(),
      log,
      settings: {
        version: await version(),
        publicUrl: config.publicUrl ?? '',
        signingKey: Buffer.from(await keepSecret(join(dataDir, 'signing-key'), () => randomBytes(32).toString('hex')), 'hex'),
        maxFileBytes: config.fileLimitBytes,
        maxBlobBytes: config.blobLimitBytes,
        maxPackBytes: config.packLimitBytes,
        maxTreeEntries: config.treeLimitEntries,
        remoteTimeoutMs: config.remoteTimeoutSeconds * 1000,
        allowedProtocols,
        eventDays: config.eventDays,
        auditDays: config.auditDays,
        committer: { name: NAME, email: 'bindery@localhost' },
      },
    }
    const repairs = await reconcile(app)
    for (const repair of repairs) log.warn(repair, 'reconciled')
    await forgetLostHeads(app)
    await announceAll(app, { branches: true })
    announcer = startAnnouncer(app)
    const first = await firstStart(app, { email: config.adminEmail ?? 'admin@localhost', token: config.adminToken })
    if (first.token !== null) await keepSecret(join(dataDir, 'admin-token'), () => first.token as string, { replace: true })

    const api = await createApi<App, Actor>({
      app,
      endpoints,
      resolvers,
      authenticate: (header) => signIn(app, header),
      permit: checkReadOnly,
      acted: (request) => recordRequest(app, request),
      actorKey: (actor) => actor.token.id,
      can,
      guard: (actor, permission, resources) => guardedApp(app, (reader) => checkStillMay(reader, actor, permission, resources)),
      config: {
        name: NAME,
        version: app.settings.version,
        publicUrl: config.publicUrl,
        baseUrl: () => app.settings.publicUrl,
        trustProxy: config.trustProxy,
        bodyLimitBytes: config.bodyLimitBytes,
        bodiesLimitBytes: config.bodiesLimitBytes,
        answersLimitBytes: config.answersLimitBytes,
        fileLimitBytes: config.fileLimitBytes,
        rateLimit: { perToken: config.ratePerToken, perAddress: config.ratePerAddress },
        corsOrigins: config.corsOrigins,
        metricsToken: config.metricsToken,
        checkAnswers: config.checkAnswers,
      },
      log,
      metrics: createMetrics(),
      ready: () => [],
      byteCache: answerCache(budget),
    })
    const server = createHttpServer(api, {
      maxConnections: config.maxConnections,
      maxConnectionsPerAddress: config.maxConnectionsPerAddress,
      requestMs: config.requestSeconds * 1000,
      trustProxy: config.trustProxy,
    })
    await listen(server, config)
    const { port } = server.address() as AddressInfo
    const host = config.host.includes(':') ? `[${config.host}]` : config.host
    const url = `http://${host}:${port}`
    if (config.publicUrl === null) app.settings.publicUrl = url
    const worker = overrides.withoutWorker ? null : startWorker(app, { concurrency: 2 })
    app.wakeJobs = () => worker?.wake()
    const sender = overrides.withoutWorker ? null : startWebhookSender(app)
    if (sender) app.wakeWebhooks = sender.wake
    const close = async (): Promise<void> => {
      api.stop()
      await stop(server)
      await worker?.stop()
      await app.locks.idle()
      await announcer?.stop()
      await sender?.stop()
      for (const closer of closers) await closer()
    }
    return { url: app.settings.publicUrl, app, first, repairs, close }
  } catch (error) {
    for (const closer of closers) await closer()
    throw error
  }
}

/** The key and the known hosts of ssh remotes: those of the settings, never those of the user that the service runs as. */
const sshIdentity = ({ sshKeyFile, sshKnownHosts }: Config) => ({
  ...(sshKeyFile === null ? {} : { sshKeyFile }),
  ...(sshKnownHosts === null ? {} : { knownHostsFile: sshKnownHosts }),
})

async function signIn(app: App, header: string): Promise<Actor | null> {
  const token = bearer(header)
  return token === null ? null : authenticate(app, token)
}

/** A token for reading only reads. */
function checkReadOnly(actor: Actor, method: string): void {
  if (actor.token.readOnly && method !== 'GET') throw new ServiceError('forbidden', 'This token is for reading only.')
}

/** Answers that are kept ready, by their validator. */
const answerCache = (budget: MemoryBudget) => budget.cache<Buffer>({ weigh: (bytes) => bytes.length + 200, maxEntryBytes: 1024 * 1024 })

async function version(): Promise<string> {
  const { version: text } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return text
}

const listen = (server: Server, { host, port }: Config): Promise<void> =>
  new Promise((done, failed) => {
    server.once('error', failed)
    server.listen(port, host, () => done())
  })

/** Takes no more connections, waits for requests under way, then cuts what is left. */
const stop = (server: Server): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS)
    server.close(() => {
      clearTimeout(timer)
      done()
    })
    server.closeIdleConnections()
  })
