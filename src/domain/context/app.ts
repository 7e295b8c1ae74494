/** The services and settings that every use case gets. */
import type { Template } from '../../content/templates/template.js'
import type { Git } from '../../git/index.js'
import type { Clock } from '../../kernel/clock.js'
import type { Meters } from '../../kernel/meters.js'
import type { Hosts } from '../../hosts/index.js'
import type { LfsFiles } from '../../lfs/index.js'
import type { HttpClient, Mailer } from '../../outbound/index.js'
import type { PdfCache, Printer } from '../../printing/index.js'
import type { SpecFiles } from '../../openapi/index.js'
import type { Reader, Store } from '../../store/index.js'
import type { Assertions } from './assertions.js'
import type { Translation } from '../../translation/index.js'
import type { ContentCache } from './content-cache.js'
import type { KeptDates } from './stored-dates.js'
import type { Batcher } from './batcher.js'
import type { Locks } from './locks.js'
import type { PageIndex } from './page-facts.js'
import type { Previews } from './previews.js'
import type { RefMoves } from './ref-moves.js'
import type { SearchIndex } from './search-index.js'
import type { Texts } from './texts.js'
import type { Waits } from './wait-limits.js'
import type { Conversions } from './conversions.js'

/** The services that every use case works with. Made once, in the composition root (`server.ts`). */
export interface App {
  store: Store
  git: Git
  /** For requests to URLs that users name; it never reaches private networks. */
  http: HttpClient
  /** The hosts of repositories, such as GitHub, by their APIs. */
  hosts: Hosts
  /** Null if no mail server is set up. */
  mail: Mailer | null
  clock: Clock
  settings: Settings
  /** By space: writes of content, sync steps and maintenance exclude each other. */
  locks: Locks
  /** Branch moves that have passed their last check and are still running. */
  moves: RefMoves
  /** Limits how many previews of remotes run at once. */
  previews: Previews
  /** Writes of content that wait for the lock of their space, to be made together. */
  edits: Batcher
  content: ContentCache
  /** By ID: what spaces can begin with, or get added. */
  templates: ReadonlyMap<string, Template>
  /** What is known of markdown files, by their content. */
  pages: PageIndex
  /** The dates of files that an earlier start of the service has computed. */
  keptDates: KeptDates
  /** The full-text indexes of spaces. */
  search: SearchIndex
  /** Parses and prints texts, which may be hostile, on other threads. */
  texts: Texts
  /** Prints PDFs. */
  printer: Printer
  /** Where PDFs are kept. */
  pdfs: PdfCache
  /** Converts documents of other formats on threads of their own. */
  conversions: Conversions
  /** Verifies responses of identity providers on a thread of its own. */
  assertions: Assertions
  /** Requests that wait for the end of an import. */
  waits: Waits
  /** Engines that translate, and the memory of what they answered. */
  translation: Translation
  /** Documents of OpenAPI specifications. */
  specFiles: SpecFiles
  /** Objects of Git LFS that were fetched. */
  lfsFiles: LfsFiles
  /** Wakes the worker: jobs were queued. */
  wakeJobs(): void
  /** Counts a sign-in request from an IP address; throws 429 if there were too many. Absent = no limit. */
  limitSignIn?(address: string): Promise<unknown>
  /** Counts a start or a response of single sign-on from an IP address; throws 429 if there were too many. Absent = no limit. */
  limitSso?(address: string): Promise<unknown>
  /** Counts a delivery of a host from an IP address to a webhook; throws 429 if there were too many. Absent = no limit. */
  limitDeliveries?(address: string, webhook: string): Promise<unknown>
  /** Wakes the sender of webhooks: an organization has new events. May be called in the transaction that writes them. */
  wakeWebhooks(organization: string): void
  /** Wakes the driver of connections: it looks at once at the repository of one, if one is named. */
  wakeConnections(hint?: { connection: string }): void
  /** Imports and exports that run now, by ID: aborting ends their Git processes. */
  running: Map<string, AbortController>
  /** Ends an import or export, on whichever node it runs. */
  endRun(id: string): void
  /** Credentials of queued remote operations by job ID: kept in memory only, never stored. */
  credentials: Map<string, { username?: string; password?: string }>
  /**
   * Throws 403 or 404 if the caller may no longer do what they asked for: their role may change while the request runs.
   * The first transaction of a request calls it by itself (`guardedApp`). Without a request it never throws.
   */
  stillMay(reader: Reader): Promise<void>
  /** Marks the request as carried out: `stillMay` no longer refuses the steps that follow. */
  decided(): void
  /** Whether the request's token is read-only, so that responses must not promise any change. False without a request. */
  readOnly: boolean
  /** Notes, for the audit log, that an admin overrode a rule of the space. */
  overruled(rule: string): void
  /** ID of this process: of the node, if several share a database. */
  node: string
  /** Counts background work, for `/metrics`. */
  meters: Meters
  log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
}

export interface Settings {
  version: string
  /** Base of the URLs in responses, without a trailing slash. */
  publicUrl: string
  /** Key that signs download URLs. */
  signingKey: Buffer
  maxFileBytes: number
  maxBlobBytes: number
  maxPackBytes: number
  maxTreeEntries: number
  maxFolderEntries: number
  remoteTimeoutMs: number
  /** Bytes of one object of Git LFS, and of all those of a space. */
  lfs: { maxObjectBytes: number; maxSpaceBytes: number }
  /** Bytes of an OpenAPI specification with all files that it refers to. */
  maxSpecBytes: number
  /** Time to fetch all of it. */
  specFetchMs: number
  /** How often specifications are fetched again; null = never. */
  specRefreshMs: number | null
  /** Characters that one run of a translation may send. */
  translationCharacters: number
  allowedProtocols: readonly string[]
  /** Those of connections: ssh too if the server has no key of its own, since a connection brings one. */
  connectionProtocols: readonly string[]
  /** How often repositories of connections are asked (0 = only when told to), and how long main must be left alone before it is exported. */
  connections: { pollMs: number; quietMs: number }
  /** Bounds of an import of content: how long its request waits, how long it reads, and how much. */
  imports: { waitMs: number; maxMs: number; maxPages: number; maxBytes: number; delayMs: number }
  /** Longest time that tokens of a sign-in by single sign-on are valid. */
  ssoSessionMs: number
  /** How many days events and webhook deliveries are kept. */
  eventDays: number
  /** How many days entries of the audit log are kept. */
  auditDays: number
  /** Committer of the commits that the service makes. */
  committer: { name: string; email: string }
}
