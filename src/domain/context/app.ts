import type { Git } from '../../git/index.js'
import type { Clock } from '../../kernel/clock.js'
import type { HttpClient, Mailer } from '../../outbound/index.js'
import type { Reader, Store } from '../../store/index.js'
import type { ContentCache } from './content-cache.js'
import type { Gatherer } from './gatherer.js'
import type { KeyedMutex } from './keyed-mutex.js'
import type { Previews } from './previews.js'
import type { RefMoves } from './ref-moves.js'
import type { Texts } from './texts.js'

/** What every use case works with. Made once, in the composition root. */
export interface App {
  store: Store
  git: Git
  /** For URLs that users name; kept out of private networks. */
  http: HttpClient
  /** Null where no mail server is set up. */
  mail: Mailer | null
  clock: Clock
  settings: Settings
  /** One holder per space for what must not interleave: writes of content, sync steps, maintenance. */
  locks: KeyedMutex
  /** Moves of branches from their last check on. */
  moves: RefMoves
  /** Looks at remotes that requests wait for. */
  previews: Previews
  /** Writes of content that wait for the lock of their space. */
  edits: Gatherer
  content: ContentCache
  /** Takes texts apart that anybody may have written. */
  texts: Texts
  /** Tells the worker that jobs were queued. */
  wakeJobs(): void
  /** Counts a request to sign in from an address; throws 429 where there were too many. Absent = no limit. */
  limitSignIn?(address: string): Promise<unknown>
  /** Tells the sender of webhooks that an organization has events. May be called in the transaction that writes them. */
  wakeWebhooks(organization: string): void
  /** Credentials of queued remote operations by job ID: in memory only, gone with the process. */
  credentials: Map<string, { username?: string; password?: string }>
  /**
   * Throws 403 or 404 where the caller may not do any more what he asked for: roles change beside a request. Of what no
   * request asked for, it says yes. Asked of itself in the first transaction of a request (`guardedApp`).
   */
  stillMay(reader: Reader): Promise<void>
  /** What was asked for is done: what still follows is not refused. */
  decided(): void
  /** An admin went past a rule of the space: for the audit log. */
  overruled(rule: string): void
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void; error(fields: object, message: string): void }
}

export interface Settings {
  version: string
  /** Base of the URLs in answers, without a trailing slash. */
  publicUrl: string
  /** Key that signs download URLs. */
  signingKey: Buffer
  maxFileBytes: number
  maxBlobBytes: number
  maxPackBytes: number
  maxTreeEntries: number
  remoteTimeoutMs: number
  allowedProtocols: readonly string[]
  /** Days that events and deliveries of webhooks are kept. */
  eventDays: number
  /** Days that entries of the audit log are kept. */
  auditDays: number
  /** Committer of the service's commits. */
  committer: { name: string; email: string }
}
