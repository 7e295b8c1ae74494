// What an API is built from: its endpoints, settings and caches.
import type { Log } from '../../kernel/log.js'
import type { Recording } from '../../kernel/recording.js'
import type { AuditedRequest } from '../../model/index.js'
import type { Endpoints } from '../declaration.js'
import type { ApiProse } from '../openapi.js'
import type { AnyResolvers } from '../resolver.js'
import type { KeptCache } from './response-cache.js'
import type { Metrics } from './metrics.js'
import type { Mount } from './mount.js'
import type { ByteCache } from './renew-response.js'

/** The settings of the API. */
export interface ApiConfig {
  name: string
  version: string
  /** Origin under which clients reach the service, if that is configured. */
  publicUrl: string | null
  /** Origin that URLs in responses begin with: the configured one, or that of the address listened on. Never what a request says. */
  baseUrl: () => string
  /** How many proxies in front may name the caller's address in X-Forwarded-For. */
  trustProxy: number
  bodyLimitBytes: number
  /** Bytes of the bodies of all requests together. */
  bodiesLimitBytes: number
  /** Bytes of the responses of all requests together that are made but not read yet. */
  responsesLimitBytes: number
  /** Bytes of one file of a form. */
  fileLimitBytes: number
  /** Requests per minute; 0 = no limit. */
  rateLimit: { perToken: number; perAddress: number }
  /** Origins whose scripts may call; `*` = all. */
  corsOrigins: readonly string[]
  /** Opens /metrics from anywhere; null = from this machine only. */
  metricsToken: string | null
  /** Check every response against its schema: in tests and development. */
  checkResponses: boolean
}

/** What the pipeline is given; it knows no policy, no store and no resource. */
export interface ApiOptions<App, Actor extends object> {
  app: App
  endpoints: Endpoints
  resolvers: AnyResolvers
  /** Prose and examples for the OpenAPI document. */
  about?: ApiProse
  /** The actor behind an `Authorization` header, or null. Called only if there is a header; reads through the given app. */
  authenticate: (header: string, app: App) => Actor | null | Promise<Actor | null>
  /** A stable, harmless name of the credential: the rate limit's key, and in the log. */
  actorKey: (actor: Actor) => string
  /** Whether the actor has the permission on the loaded resources. */
  can: (
    actor: Actor | null,
    permission: string,
    resources: Readonly<Record<string, unknown>>,
  ) => boolean | Promise<boolean>
  /** The message for a caller without a permission: the role that has it, and who can grant it. Absent = the name of the permission. */
  denial?: (permission: string, resources: Readonly<Record<string, unknown>>) => string
  /** The app with which a request of this actor is carried out. Absent = the same for all. */
  appFor?: (app: App, actor: Actor) => App
  /** Whether the actor may make requests of this method at all; throws if not. */
  permit?: (actor: Actor, method: string) => void
  /**
   * The app for one request that changes something: its transaction checks again that the actor has the permission (null = any token).
   */
  guard?: (
    actor: Actor,
    permission: string | null,
    resources: Readonly<Record<string, unknown>>,
  ) => { app: App; overruled: readonly string[] }
  /** Called for every request of a known caller that is not a GET, before the response is sent; not if `audited` is false. */
  acted?: (request: AuditedRequest<Actor>) => Promise<void>
  /** What speaks another protocol, below a path of its own. */
  mounts?: readonly Mount[]
  config: ApiConfig
  log: Log
  metrics: Metrics
  /** Translates what a request threw into an error that clients understand; returns everything else as it is. Absent = nothing is translated. */
  explain?: (thrown: unknown) => Promise<unknown>
  /** What keeps the service from being ready; empty = ready. */
  ready: () => readonly string[] | Promise<readonly string[]>
  byteCache?: ByteCache
  /**
   * Keeps responses of operations with a validator, and sends them again as long as everything holds that was read for them through
   * the app that `record` makes: to find the actor and the resources, for the permission and the validator. Absent = none is kept.
   * `learn`, if others change things too, is called before that is compared.
   */
  kept?: { cache: KeptCache; record: (recording: Recording) => App; learn?: (() => Promise<void>) | undefined }
}
