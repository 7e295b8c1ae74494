/** Opens the dependencies of a service (documents, repositories, mail, HTTP) and assembles the app for use cases. */
import { required } from '../kernel/defined.js'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { networkOf } from '../kernel/network-of.js'
import { rateLimit } from '../api/pipeline/rate-limit.js'
import type { Config } from '../config.js'
import type { App, Settings } from '../domain/context/app.js'
import { openAssertions } from '../domain/context/assertions.js'
import { Batcher } from '../domain/context/batcher.js'
import { withoutCaller } from '../domain/context/guarded-app.js'
import { KeyedMutex } from '../kernel/keyed-mutex.js'
import { openConversions } from '../domain/context/conversions.js'
import { openTexts } from '../domain/context/open-texts.js'
import { DATES_KIND, DATES_VERSION, StoredDates } from '../domain/context/stored-dates.js'
import { STRUCTURE_KIND, StoredStructures } from '../domain/context/stored-structures.js'
import { PageIndex } from '../domain/context/page-facts.js'
import { SearchIndex } from '../domain/context/search-index.js'
import { Merges } from '../domain/context/merges.js'
import { Presence } from '../domain/context/presence.js'
import { Previews } from '../domain/context/previews.js'
import { ReaderCounts } from '../domain/context/reader-counts.js'
import { Signatures } from '../domain/context/signatures.js'
import { repositoryName } from '../domain/context/refs.js'
import { RefMoves } from '../domain/context/ref-moves.js'
import { Waits } from '../domain/context/wait-limits.js'
import { Wakes } from '../domain/context/wakes.js'
import { revisionCache } from '../domain/revisions/revision-cache.js'
import { FACT_KINDS, FACTS_VERSION } from '../content/facts.js'
import { STRUCTURE_VERSION } from '../content/stored-structure.js'
import { isNative } from '../content/gfm/native.js'
import { openFacts, type FactsIndex, type FactsOptions } from '../facts/index.js'
import { prepareFiles } from '../shared-files/index.js'
import { type Git, NoRepository, type SetAside } from '../git/index.js'
import { openHosts } from '../hosts/index.js'
import { signAppToken } from '../auth/index.js'
import type { Clock } from '../kernel/clock.js'
import { newId, type RefName } from '../kernel/ids.js'
import type { Log } from '../kernel/log.js'
import { Meters } from '../kernel/meters.js'
import type { MemoryBudget } from '../kernel/memory-budget.js'
import { createHttpClient, createMailer, type HttpClient, type Mailer } from '../outbound/index.js'
import type { createPool } from '../threads/index.js'
import { createCards, createPrinter, type Printer } from '../printing/index.js'
import { createBundler } from '../site/bundle/bundler.js'
import { openTranslation, type Translation } from '../translation/index.js'
import type { Closers } from './closers.js'
import { templatesOf } from './load-templates.js'
import type { Template } from '../content/templates/template.js'
import { checkCommitKey, signingKeyOf } from './keys.js'
import { refuseUnfinished } from './migration.js'
import { isShared, openDocuments } from './open-documents.js'
import type { StoreOptions } from '../store/index.js'
import { openFiles } from './open-files.js'
import { dropOutdated, resumePurge } from './purge-swap.js'
import { openRepositories } from './open-repositories.js'
import { movesElsewhere, type Node } from './open-node.js'
import { countEverywhere } from './shared-limits.js'
import { SharedLocks } from './shared-locks.js'

/** The product name for clients, remotes and commits. */
export const NAME = 'Bindery'
/** Maximum size of the dates index, in bytes. A repository of 10,000 files takes about 0.6 MB. */
const MAX_DATES_BYTES = 128 * 1024 * 1024
/** Maximum size of the structures index, in bytes. A space of 10,000 pages takes about 0.5 MB. */
const MAX_STRUCTURES_BYTES = 128 * 1024 * 1024
/** Maximum number of waiting edits of a space that are published by one move of its refs. */
const EDITS_AT_ONCE = 64

/** The dependencies of an app besides the configuration. */
interface Surroundings {
  log: Log
  clock: Clock
  budget: MemoryBudget
  /** Called with the branches of a repository that moved. */
  moved: (repository: string, refs: readonly RefName[]) => void
  /** Called with the branches of a repository that another node moved. May be called twice for one move. */
  movedElsewhere: (repository: string, refs: readonly RefName[]) => void
  /** Called with refs that an admin moved by hand on this node. */
  setAside: (repository: string, found: readonly SetAside[]) => void
  makePool: typeof createPool
  /** The resources shared with other nodes; null = none. */
  node: Node | null
  /** Undefined = the included templates and those of the operator. */
  templates: ReadonlyMap<string, Template> | undefined
  /** Whether damaged files of documents are replaced by what is readable of them, and the limit of the log until then. */
  documents: Pick<StoreOptions, 'repair' | 'maxKeptLogBytes'>
}

/** Opens the app. Each opened resource is added to `closers` immediately. */
export async function openApp(config: Config, around: Surroundings, closers: Closers): Promise<App> {
  const { budget, log, clock, node } = around
  await checkShared(config, node)
  const store = await openDocuments(config, log, node, around.documents)
  closers.add(() => store.close())
  const settings = await settingsOf(config, store, node)
  const git = await openRepositories(config, around, closers)
  const { http, mail } = await openClients(config, closers)
  const { texts, conversions, assertions } = openThreads(config, around, closers)
  const content = revisionCache(budget)
  const { facts, search, ...stored } = await openIndexes(config, log, store, closers)
  const locks = node ? new SharedLocks(node.leases, (space) => refresh(git, space)) : new KeyedMutex()
  // bound: running imports and exports
  const running: App['running'] = new Map()
  const printer = openPrinter(config, log, closers)
  return {
    ...withoutCaller,
    store,
    git,
    http,
    hosts: openHosts({ http, signAppToken, now: () => clock.now() }),
    mail,
    ...limitsOf(config, node),
    clock,
    locks,
    moves: new RefMoves(node ? movesElsewhere(node) : undefined),
    presence: new Presence(clock, (message) => node?.hints.send('presence', message)),
    previews: new Previews(),
    signatures: new Signatures(),
    readers: new ReaderCounts(clock),
    merges: new Merges(),
    edits: new Batcher(locks, EDITS_AT_ONCE),
    content,
    templates: await templatesOf(config.templatesDir, log, around.templates),
    pages: new PageIndex(texts, facts, content),
    ...stored,
    search,
    texts,
    printer,
    cards: createCards(printer, join(resolve(config.dataDir), 'cards')),
    bundler: createBundler(),
    conversions,
    assertions,
    waits: new Waits((key) => node?.hints.send('over', key)),
    translation: await openEngines(config, log, closers),
    ...(await openFiles(config, node?.database ?? null)),
    wakes: new Wakes(isShared(store) ? (work) => store.afterwards(work) : undefined),
    running,
    endRun: (id) => {
      running.get(id)?.abort()
      node?.hints.send('end', id)
    },
    node: node?.id ?? newId(),
    // bound: queued imports and exports; removed with their job
    credentials: new Map(),
    log,
    meters: new Meters(),
    settings,
  }
}

/** Opens the threads and processes for texts, conversions and assertions. */
function openThreads(config: Config, { budget, log, makePool }: Surroundings, closers: Closers) {
  const { texts, close: closeTexts } = openTexts(budget, makePool)
  closers.add(closeTexts)
  const { conversions, close: closeConversions } = openConversions(config.importBytes, makePool)
  closers.add(closeConversions)
  const { assertions, close: closeAssertions } = openAssertions()
  closers.add(closeAssertions)
  if (!isNative)
    log.warn(
      {},
      'The native markdown parser does not load on this machine. Pages are parsed by the other one, which takes much longer.',
    )
  return { texts, conversions, assertions }
}

/** Opens the disposable indexes: facts about content, dates, structures, and the search. */
async function openIndexes(config: Config, log: Log, store: App['store'], closers: Closers) {
  await dropOutdated(config, store)
  const open = (name: string, kinds: readonly string[], version: number, maxBytes: number): FactsIndex => {
    const index = openIndex(config, log, { name, kinds, version, maxBytes })
    closers.add(async () => index.close())
    return index
  }
  const facts = open('facts.db', FACT_KINDS, FACTS_VERSION, config.factsBytes)
  const dates = open('dates.db', [DATES_KIND], DATES_VERSION, MAX_DATES_BYTES)
  const structures = open('structures.db', [STRUCTURE_KIND], STRUCTURE_VERSION, MAX_STRUCTURES_BYTES)
  const search = openSearch(config, log)
  closers.add(() => search.close())
  return { facts, storedDates: new StoredDates(dates), storedStructures: new StoredStructures(structures), search }
}

/**
 * Returns the limits of operations that need no token. On nodes they are counted in the database, because each key has
 * few such requests.
 */
function limitsOf(config: Config, node: Node | null): Pick<App, 'limitSignIn' | 'limitSso' | 'limitDeliveries'> {
  const counter = (name: string, perMinute: number): ((key: string) => Promise<unknown>) | null => {
    const limit = rateLimit(name, perMinute)
    return limit && (async (key) => (node ? countEverywhere(node.counts, limit, key) : limit.count(key)))
  }
  const signIns = counter('sign-in', config.signInRate)
  const sso = counter('sso', config.ssoRate)
  const deliveries = counter('webhook', config.deliveryRate)
  return {
    ...(signIns ? { limitSignIn: (address) => signIns(networkOf(address)) } : {}),
    ...(sso ? { limitSso: (address) => sso(networkOf(address)) } : {}),
    ...(deliveries ? { limitDeliveries: (address, webhook) => deliveries(`${networkOf(address)} ${webhook}`) } : {}),
  }
}

/** Refreshes this node's copy of a space by opening it. A new space has no repository yet. */
async function refresh(git: Git, space: string): Promise<void> {
  await git.open(repositoryName(space)).catch((error: unknown) => {
    if (!(error instanceof NoRepository)) throw error
  })
}

/** Opens an index of data derived from content. It is disposable, but contains texts and paths of private spaces. */
const openIndex = (
  { dataDir }: Config,
  log: Log,
  { name, ...options }: Omit<FactsOptions, 'file' | 'notice'> & { name: string },
): FactsIndex =>
  openFacts({ ...options, file: join(resolve(dataDir), name), notice: (message) => log.warn({}, message) })

/** Opens the search indexes, which are also disposable and private. */
const openSearch = ({ dataDir, searchBytes }: Config, log: Log): SearchIndex =>
  new SearchIndex({
    dir: join(resolve(dataDir), 'search'),
    maxBytes: searchBytes,
    notice: (message) => log.warn({}, message),
  })

/** Opens the PDF printer. Logs a warning if there is no Chromium. */
function openPrinter({ dataDir, chromium }: Config, log: Log, closers: Closers): Printer {
  const printer = createPrinter({
    chromium,
    folder: join(resolve(dataDir), 'pdf'),
    notice: (message, fields) => log.info(fields, message),
  })
  closers.add(() => printer.close())
  const missing = printer.missing()
  if (missing !== null) log.warn({}, missing)
  return printer
}

/**
 * Creates the file tables in the shared database, and checks that this process may be a node of it. Throws
 * `MigrationUnfinished`, `WrongKey`.
 */
async function checkShared(config: Config, node: Node | null): Promise<void> {
  if (node) await prepareFiles(node.database)
  await refuseUnfinished(config.dataDir, node?.database ?? null)
  await resumePurge(config)
  if (node) await checkCommitKey(config, node.database)
}

/** Opens the clients for other services: HTTP, and mail if a mail server is configured. */
async function openClients(config: Config, closers: Closers): Promise<{ http: HttpClient; mail: Mailer | null }> {
  const http = createHttpClient({
    allowPrivateNetworks: config.allowPrivateNetworks,
    agent: `${NAME}/${await version()}`,
  })
  closers.add(() => http.close())
  const mail = config.smtpUrl === null ? null : createMailer({ url: config.smtpUrl, from: required(config.mailFrom) })
  if (mail) closers.add(async () => mail.close())
  return { http, mail }
}

/** Opens the translation engines of the settings, and their memory. */
async function openEngines(config: Config, log: Log, closers: Closers): Promise<Translation> {
  const { deeplUrl, deeplKey, libreTranslateUrl, libreTranslateKey, openaiUrl, openaiKey, openaiModel } = config
  const translation = openTranslation({
    deepl: deeplUrl === null || deeplKey === null ? null : { url: deeplUrl, key: deeplKey },
    libreTranslate: libreTranslateUrl === null ? null : { url: libreTranslateUrl, key: libreTranslateKey ?? '' },
    openAi:
      openaiUrl === null || openaiModel === null ? null : { url: openaiUrl, key: openaiKey ?? '', model: openaiModel },
    apertium: config.apertium,
    timeoutMs: config.translationSeconds * 1000,
    agent: `${NAME}/${await version()}`,
    memory: {
      file: join(resolve(config.dataDir), 'translations.db'),
      maxBytes: config.translationMemoryBytes,
      notice: (message) => log.warn({}, message),
    },
  })
  closers.add(() => translation.close())
  return translation
}

async function settingsOf(config: Config, store: App['store'], node: Node | null): Promise<Settings> {
  return {
    version: await version(),
    publicUrl: config.publicUrl ?? '',
    sites: {
      origin: (config.sitesOrigin ?? '').replace('//*.', '//'),
      perOrganization: config.sitesOrigin?.includes('//*.') ?? false,
    },
    signingKey: await signingKeyOf(config, store, node?.database ?? null),
    maxFileBytes: config.fileLimitBytes,
    maxBlobBytes: config.blobLimitBytes,
    maxPackBytes: config.packLimitBytes,
    maxTreeEntries: config.treeLimitEntries,
    maxFolderEntries: config.folderLimitEntries,
    quotas: { spaces: config.orgSpaces, members: config.orgMembers, files: config.orgFiles, bytes: config.orgBytes },
    remoteTimeoutMs: config.remoteTimeoutSeconds * 1000,
    lfs: { maxObjectBytes: config.lfsLimitBytes, maxSpaceBytes: config.lfsSpaceBytes },
    maxSpecBytes: config.specLimitBytes,
    specFetchMs: config.specFetchSeconds * 1000,
    specRefreshMs: config.specRefreshHours === 0 ? null : config.specRefreshHours * 3_600_000,
    translationCharacters: config.translationCharacters,
    allowedProtocols: protocolsOf(config),
    connectionProtocols: config.remoteProtocols,
    imports: {
      waitMs: config.importWaitSeconds * 1000,
      maxMs: config.importSeconds * 1000,
      maxPages: config.importPages,
      maxBytes: config.importBytes,
      delayMs: config.importDelayMs,
    },
    connections: { pollMs: config.connectionPollSeconds * 1000, quietMs: config.connectionQuietSeconds * 1000 },
    ssoSessionMs: config.ssoSessionHours * 3_600_000,
    eventDays: config.eventDays,
    auditDays: config.auditDays,
    committer: { name: NAME, email: config.committerEmail },
  }
}

/** Returns the protocols for remotes. ssh needs a key. */
const protocolsOf = ({ remoteProtocols, sshKeyFile }: Config) =>
  remoteProtocols.filter((protocol) => protocol !== 'ssh' || sshKeyFile !== null)

async function version(): Promise<string> {
  const described: { version: string } = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return described.version
}
