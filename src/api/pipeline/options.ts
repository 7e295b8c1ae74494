// The parts that an API is built from: its endpoints, settings and caches.
import type { Log } from '../../kernel/log.js'
import type { Recording } from '../../kernel/recording.js'
import type { AuditedRequest, AuditedResult } from '../../model/index.js'
import type { Endpoints } from '../declaration.js'
import type { ApiProse } from '../openapi.js'
import type { AnyResolvers } from '../resolver.js'
import type { CachedResponses } from './response-cache.js'
import type { Metrics } from './metrics.js'
import type { Mount } from './mount.js'
import type { ByteCache } from './renew-response.js'

/** The settings of the API. */
export interface ApiConfig {
  name: string
  version: string
  /** Origin under which clients reach the service, if it is configured. */
  publicUrl: string | null
  /** Origin of URLs in responses: the configured one, or the listen address. It never depends on the request. */
  baseUrl: () => string
  /** Number of proxies in front whose X-Forwarded-For is trusted. */
  trustProxy: number
  bodyLimitBytes: number
  /** Maximum total size of all request bodies, in bytes. */
  bodiesLimitBytes: number
  /** Maximum total size of all responses that are not read yet, in bytes. */
  responsesLimitBytes: number
  /** Maximum size of one file of a form, in bytes. */
  fileLimitBytes: number
  /** Requests per minute; 0 = no limit. */
  rateLimit: { perToken: number; perAddress: number }
  /** Origins whose scripts may call the API; `*` = all. */
  corsOrigins: readonly string[]
  /** Token that opens /metrics from anywhere; null = only from this machine. */
  metricsToken: string | null
  /** Checks every response against its schema, for tests and development. */
  checkResponses: boolean
}

/** A request that may change data, between its start and its response. */
export interface OpenWrite<App> {
  /** Returns the app that carries it out. Its first transaction checks the actor's permission again (null = any token). */
  guard(permission: string | null, resources: Readonly<Record<string, unknown>>): App
  /** Called before the response, also if the request was rejected. Writes the entry of the audit log. */
  finish(result: AuditedResult): Promise<void>
}

/** The inputs of the pipeline. It depends on no policy, store or resource. */
export interface ApiOptions<App, Actor extends object> {
  app: App
  endpoints: Endpoints
  /**
   * Whether tests verify the declarations, so that a start neither validates their schemas nor builds the OpenAPI
   * document, which takes an eighth of it.
   */
  isVerified?: boolean
  resolvers: AnyResolvers
  /** Prose and examples for the OpenAPI document. */
  about?: ApiProse
  /**
   * Returns the actor behind an `Authorization` header, or null. Only called if there is a header. Reads through the
   * given app.
   */
  authenticate: (header: string, app: App) => Actor | null | Promise<Actor | null>
  /** Returns a stable name of the credential that reveals nothing: the key for the rate limit and the log. */
  actorKey: (actor: Actor) => string
  /** Whether the actor has the permission on the loaded resources. */
  can: (
    actor: Actor | null,
    permission: string,
    resources: Readonly<Record<string, unknown>>,
  ) => boolean | Promise<boolean>
  /**
   * Returns the message for a caller without a permission: the role that has it, and who can grant it. Absent = the
   * permission's name.
   */
  denial?: (permission: string, resources: Readonly<Record<string, unknown>>) => string
  /** Returns the app that carries out requests of this actor. Absent = the same app for all. */
  appFor?: (app: App, actor: Actor) => App
  /** Throws if the actor may not make requests with this method. */
  permit?: (actor: Actor, method: string) => void
  /** Called for every request that is not a GET. `isAudited` = the audit log records it. */
  openWrite?: (request: AuditedRequest<Actor>, isAudited: boolean) => OpenWrite<App>
  /** Handlers for other protocols, each below its own path. */
  mounts?: readonly Mount[]
  config: ApiConfig
  log: Log
  metrics: Metrics
  /**
   * Translates an error of a request into one that clients understand; returns other errors unchanged. Absent = no
   * translation.
   */
  explain?: (thrown: unknown) => Promise<unknown>
  /** Returns the address of the sample site, for the page at `/`. Absent = there is none. */
  sample?: () => Promise<string | null>
  /** Returns the origin of published sites for a security policy. Absent = there are none. */
  sites?: () => string
  /** Returns the reasons why the service is not ready; empty = ready. */
  ready: () => readonly string[] | Promise<readonly string[]>
  /** Returns conditions that an operator should change before requests fail. */
  warnings?: () => Promise<readonly string[]>
  byteCache?: ByteCache
  /**
   * Caches responses of operations with a validator. `record` makes an app that records all reads: for the actor, the
   * resources, the permission and the validator.
   * A cached response is sent again while these reads would return the same. Absent = no caching.
   * `learn` is called before the comparison, if other processes change data too.
   */
  responseCache?: {
    cache: CachedResponses
    record: (recording: Recording) => App
    learn?: (() => Promise<void>) | undefined
  }
}
