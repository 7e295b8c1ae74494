/** Serves the API of an app through an HTTP server. */
import { gitDoor } from '../api/git-door/endpoints.js'
import { endpoints } from '../api/index.js'
import { mcpMount } from '../api/mcp/mount.js'
import { type Api, createApi } from '../api/pipeline/create-api.js'
import { createHttpServer } from '../api/pipeline/http-server.js'
import type { Metrics } from '../api/pipeline/metrics.js'
import type { ByteCache } from '../api/pipeline/renew-response.js'
import { openResponseCache, MAX_CACHED_BYTES } from '../api/pipeline/response-cache.js'
import { resolvers } from '../api/resolvers.js'
import { about } from '../api/introduction.js'
import { can, denial } from '../api/service.js'
import { bearer } from '../auth/index.js'
import type { Config } from '../config.js'
import { authenticate } from '../domain/accounts/accounts.js'
import type { Actor } from '../domain/context/actor.js'
import type { App } from '../domain/context/app.js'
import { recordedApp } from '../domain/context/recorded-app.js'
import { sitesSource } from '../domain/sites/addresses.js'
import { findSampleSite } from '../domain/sites/sample-site.js'
import type { FolderWatch } from '../disk/folder-watch.js'
import { ServiceError } from '../kernel/errors.js'
import type { Log } from '../kernel/log.js'
import type { MemoryBudget } from '../kernel/memory-budget.js'
import { drainThenStop, listen, urlOf } from './listen.js'
import { membersOf } from './members.js'
import { NAME } from './open-app.js'
import type { Node } from './open-node.js'
import { openWrite } from './open-write.js'
import { describeDamages, describeLow, missingParts, operatorFailures } from './operator-failures.js'
import { exchangeCounts } from './shared-limits.js'

/** A running API. */
interface RunningApi {
  /** Its URL: `http://127.0.0.1:3000`. */
  url: string
  /** Accepts no more connections, waits for running requests, then closes the remaining connections. */
  stop(idleMs?: number): Promise<void>
}

interface Surroundings {
  log: Log
  /** The folders that requests write to. */
  folders: FolderWatch
  budget: MemoryBudget
  /** The resources shared with other nodes; null = none. */
  node: Node | null
  metrics: Metrics
  /** The organization of the first admin, which has the sample site. */
  organization: string
}

/** Starts the API on the configured address and port. */
export async function serveApi(app: App, config: Config, around: Surroundings): Promise<RunningApi> {
  const { node } = around
  const api = await apiOf(app, config, around)
  const exchanged = node && exchangeCounts(node.counts, api.limits)
  const server = createHttpServer(api, {
    maxConnections: config.maxConnections,
    maxConnectionsPerAddress: config.maxConnectionsPerAddress,
    requestMs: config.requestSeconds * 1000,
    trustProxy: config.trustProxy,
  })
  await listen(server, config, 'BINDERY_PORT')
  const stop = async (idleMs?: number): Promise<void> => {
    await drainThenStop(server, api, idleMs)
    await exchanged?.()
  }
  return { url: urlOf(server, config), stop }
}

function apiOf(app: App, config: Config, around: Surroundings): Promise<Api> {
  const { log, folders, budget, node, metrics, organization } = around
  const explain = operatorFailures(folders)
  return createApi<App, Actor>({
    app,
    endpoints,
    isVerified: true,
    resolvers,
    about,
    authenticate: (header, reading) => signIn(reading, header),
    permit: checkReadOnly,
    appFor: (given, actor) => (actor.token.readOnly ? { ...given, readOnly: true } : given),
    actorKey: (actor) => actor.token.id,
    can,
    denial,
    openWrite: (request, isAudited) => openWrite(app, request, isAudited),
    mounts: [
      doorOf(app, explain),
      // The pipeline counts the requests of tokens.
      mcpMount({
        app,
        explain,
        members: membersOf({ app, explain, count: () => {} }),
        corsOrigins: config.corsOrigins,
      }),
    ],
    sample: () => findSampleSite(app, organization),
    sites: () => sitesSource(app.settings.sites),
    config: {
      name: NAME,
      version: app.settings.version,
      publicUrl: config.publicUrl,
      baseUrl: () => app.settings.publicUrl,
      trustProxy: config.trustProxy,
      bodyLimitBytes: config.bodyLimitBytes,
      bodiesLimitBytes: config.bodiesLimitBytes,
      responsesLimitBytes: config.responsesLimitBytes,
      fileLimitBytes: config.fileLimitBytes,
      rateLimit: { perToken: config.ratePerToken, perAddress: config.ratePerAddress },
      corsOrigins: config.corsOrigins,
      metricsToken: config.metricsToken,
      checkResponses: config.checkResponses,
    },
    log,
    metrics,
    explain,
    ready: () => missingParts(app, folders),
    warnings: async () => [...(await folders.low()).map(describeLow), ...(await describeDamages(app.store))],
    byteCache: responseCache(budget, node),
    responseCache: {
      cache: openResponseCache(budget),
      record: (recording) => recordedApp(app, recording),
      learn: node ? () => node.news.ask() : undefined,
    },
  })
}

/** The minimum permission for a push. Moves of refs are guarded as in the API. */
const PUSH = 'space:edit'

const doorOf = (app: App, explain: (thrown: unknown) => Promise<unknown>) =>
  gitDoor({
    app,
    explain,
    authenticate: (token) => authenticate(app, token, 'api'),
    permitPush: (actor, space) => {
      checkReadOnly(actor, 'POST')
      if (!can(actor, PUSH, { space })) throw new ServiceError('forbidden', denial(PUSH, { space }))
    },
    openPush: (request) => {
      const write = openWrite(app, request)
      return { app: write.guard(PUSH, request.resources), finish: write.finish }
    },
  })

async function signIn(app: App, header: string): Promise<Actor | null> {
  const token = bearer(header)
  return token === null ? null : authenticate(app, token, 'api')
}

/** Throws 403 if a read-only token is used for other methods than GET. */
function checkReadOnly(actor: Actor, method: string): void {
  if (actor.token.readOnly && method !== 'GET')
    throw new ServiceError('forbidden', 'This token is read-only. Use a token with write access.')
}

/**
 * Caches response bodies by their inputs (the `validator` of their endpoint). In a database that was restored to an
 * earlier time, versions of documents repeat, so the key contains its epoch.
 */
function responseCache(budget: MemoryBudget, node: Node | null): ByteCache {
  const cache = budget.cache<Buffer>({
    weigh: (bytes) => bytes.length + 200,
    maxEntryBytes: MAX_CACHED_BYTES,
    goesWithLast: true,
  })
  if (!node) return cache
  const key = (tag: string): string => `${node.news.epoch} ${tag}`
  return { get: (tag) => cache.get(key(tag)), set: (tag, bytes) => cache.set(key(tag), bytes) }
}
