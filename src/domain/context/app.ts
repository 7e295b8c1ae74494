/** The services and settings that every use case gets. */
import type { Template } from '../../content/templates/template.js'
import type { Git } from '../../git/index.js'
import type { Clock } from '../../kernel/clock.js'
import type { FileShelf } from '../../kernel/file-shelf.js'
import type { Meters } from '../../kernel/meters.js'
import type { Hosts } from '../../hosts/index.js'
import type { LfsFiles } from '../../lfs/index.js'
import type { HttpClient, Mailer } from '../../outbound/index.js'
import type { Cards, Printer, PrintResult } from '../../printing/index.js'
import type { SpecFiles } from '../../openapi/index.js'
import type { Audited, Quotas } from '../../model/index.js'
import type { Reader, Store } from '../../store/index.js'
import type { Assertions } from './assertions.js'
import type { Translation } from '../../translation/index.js'
import type { BundleFacts, Bundler } from './bundler.js'
import type { ContentCache } from './content-cache.js'
import type { StoredDates } from './stored-dates.js'
import type { StoredStructures } from './stored-structures.js'
import type { Batcher } from './batcher.js'
import type { Locks } from './locks.js'
import type { PageIndex } from './page-facts.js'
import type { Merges } from './merges.js'
import type { Presence } from './presence.js'
import type { Previews } from './previews.js'
import type { ReaderCounts } from './reader-counts.js'
import type { RefMoves } from './ref-moves.js'
import type { SearchIndex } from './search-index.js'
import type { Signatures } from './signatures.js'
import type { Texts } from './texts.js'
import type { Waits } from './wait-limits.js'
import type { Wakes } from './wakes.js'
import type { Conversions } from './conversions.js'

/** The services that every use case works with. The composition root (`server.ts`) creates them once. */
export interface App {
  store: Store
  git: Git
  /** Requests URLs that users name. It never reaches private networks. */
  http: HttpClient
  /** The REST APIs of repository hosts, such as GitHub. */
  hosts: Hosts
  /** Null if no mail server is configured. */
  mail: Mailer | null
  clock: Clock
  settings: Settings
  /** One lock per space. It serializes writes of content, sync steps and maintenance. */
  locks: Locks
  /** Branch moves that have passed their last check and are still running. */
  moves: RefMoves
  /** Limits how many previews of remotes run at once. */
  previews: Previews
  /** The open editors of pages. */
  presence: Presence
  /** Shares the merges of files by Git fairly among organizations. */
  merges: Merges
  /** Content writes that wait for the lock of their space. One turn of the lock commits them together. */
  edits: Batcher
  content: ContentCache
  /** The counts of readers of sites that are not stored yet. */
  readers: ReaderCounts
  /** The results of checks of commit signatures. */
  signatures: Signatures
  /** Returns the templates for new spaces and for additions to existing ones, by ID. */
  templates: () => Promise<ReadonlyMap<string, Template>>
  /** Facts derived from markdown files, by blob. */
  pages: PageIndex
  /** File dates that were computed and stored before the last restart. */
  storedDates: StoredDates
  /** The structures of large spaces that were stored before the last restart. */
  storedStructures: StoredStructures
  /** The full-text indexes of spaces. */
  search: SearchIndex
  /** Parses and prints texts, which may be hostile, on other threads. */
  texts: Texts
  /** Prints PDFs. */
  printer: Printer
  /** The stored PDFs. */
  pdfs: FileShelf<PrintResult>
  /** The social cards of pages. */
  cards: Cards
  /** The stored bundles of sites, and the code that writes them. */
  bundles: FileShelf<BundleFacts>
  bundler: Bundler<App>
  /** Converts documents of other formats in its own threads. */
  conversions: Conversions
  /** Verifies responses of identity providers in its own thread. */
  assertions: Assertions
  /** Requests that wait for the end of an import. */
  waits: Waits
  /** Translation engines, and the memory of their results. */
  translation: Translation
  /** Documents of OpenAPI specifications. */
  specFiles: SpecFiles
  /** Downloaded Git LFS objects. */
  lfsFiles: LfsFiles
  /** Wakes the background work. */
  wakes: Wakes
  /** Counts a sign-in request from an IP address. Throws 429 if there were too many. Absent if there is no limit. */
  limitSignIn?(address: string): Promise<unknown>
  /**
   * Counts a request or response of single sign-on from an IP address. Throws 429 if there were too many. Absent if
   * there is no limit.
   */
  limitSso?(address: string): Promise<unknown>
  /**
   * Counts a webhook delivery of a host from an IP address. Throws 429 if there were too many. Absent if there is no
   * limit.
   */
  limitDeliveries?(address: string, webhook: string): Promise<unknown>
  /** Imports and exports in progress, by ID. Aborting a controller ends the Git processes of its run. */
  running: Map<string, AbortController>
  /** Ends an import or export on any node. */
  endRun(id: string): void
  /** Credentials of queued remote operations, by job ID. They stay in memory and are never stored. */
  credentials: Map<string, { username?: string; password?: string }>
  /**
   * Throws 403 or 404 if the caller has lost the permission, since a role may change while the request runs. The first
   * transaction of a request calls it automatically (`guardedApp`). Without a request it never throws.
   */
  stillMay(reader: Reader): Promise<void>
  /** Marks the request as carried out: `stillMay` no longer rejects later steps. */
  decided(): void
  /** Whether the request's token is read-only. Responses must then not offer changes. False without a request. */
  readOnly: boolean
  /** Records in the audit log that an admin overrode a rule of the space. */
  overruled(rule: string): void
  /**
   * Adds IDs that are in neither the token nor the path to the audit entry of the request. Call it before the transaction
   * that makes the change is committed.
   */
  identify(ids: Audited): void
  /** ID of this process, or of the node if several share a database. */
  node: string
  /** Counts background work, for `/metrics`. */
  meters: Meters
  log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
    error(fields: object, message: string): void
  }
}

/** The origin of the published sites. */
export interface SitesOrigin {
  /** Without a trailing slash and without `*.`. */
  origin: string
  /** Whether each organization has its own host name below that of the origin. */
  perOrganization: boolean
}

export interface Settings {
  version: string
  /** Base of the URLs in responses, without a trailing slash. */
  publicUrl: string
  /** Where readers reach the published sites. */
  sites: SitesOrigin
  /** Key that signs download URLs. */
  signingKey: Buffer
  maxFileBytes: number
  maxBlobBytes: number
  maxPackBytes: number
  maxTreeEntries: number
  maxFolderEntries: number
  /** Limits of organizations for which the operator has set no others. */
  quotas: Quotas
  remoteTimeoutMs: number
  /** Maximum size in bytes of one Git LFS object, and of all objects of a space. */
  lfs: { maxObjectBytes: number; maxSpaceBytes: number }
  /** Maximum size in bytes of an OpenAPI specification with all files that it refers to. */
  maxSpecBytes: number
  /** Time limit in milliseconds for fetching a specification with its files. */
  specFetchMs: number
  /** Interval in milliseconds between fetches of a specification. Null turns them off. */
  specRefreshMs: number | null
  /** Maximum number of characters that one translation run may send to an engine. */
  translationCharacters: number
  allowedProtocols: readonly string[]
  /**
   * Protocols that connections may use. They include ssh even if the server has no key, since a connection has its own.
   */
  connectionProtocols: readonly string[]
  /**
   * `pollMs`: interval between polls of a connected repository (0 = no polls). `quietMs`: time without changes of main
   * before it is exported.
   */
  connections: { pollMs: number; quietMs: number }
  /**
   * Limits of a content import. `waitMs`: how long its request waits. The others limit the duration and the amount of
   * what it reads.
   */
  imports: { waitMs: number; maxMs: number; maxPages: number; maxBytes: number; delayMs: number }
  /** Maximum lifetime in milliseconds of tokens issued by single sign-on. */
  ssoSessionMs: number
  /** Number of days that events and webhook deliveries are kept. */
  eventDays: number
  /** Number of days that audit log entries are kept. */
  auditDays: number
  /** Committer of the commits that the service creates. */
  committer: { name: string; email: string }
}
