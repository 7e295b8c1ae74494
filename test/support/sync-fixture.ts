import { Wakes } from '../../src/domain/context/wakes.js'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from '../../src/domain/context/app.js'
import type { Actor } from '../../src/domain/context/actor.js'
import type { LoadedOrganization, LoadedSpace } from '../../src/domain/context/loaded.js'
import { makeCommit } from '../../src/domain/commits/make-commit.js'
import { moveBranch } from '../../src/domain/commits/move-branch.js'
import { revisionCache } from '../../src/domain/revisions/revision-cache.js'
import { FACT_KINDS } from '../../src/content/facts.js'
import { openFacts } from '../../src/facts/index.js'
import { openAssertions } from '../../src/domain/context/assertions.js'
import { openConversions } from '../../src/domain/context/conversions.js'
import { openTexts } from '../../src/domain/context/open-texts.js'
import { Waits } from '../../src/domain/context/wait-limits.js'
import { findChangeRequest } from '../../src/domain/change-requests/change-requests.js'
import { listConflicts } from '../../src/domain/change-requests/conflicts.js'
import { mergeChangeRequest, updateFromMain } from '../../src/domain/change-requests/merge-requests.js'
import { listSyncRuns } from '../../src/domain/git-sync/runs.js'
import { requestExport, requestImport } from '../../src/domain/git-sync/request.js'
import { overridesAt } from '../../src/domain/revisions/identity.js'
import { Batcher } from '../../src/domain/context/batcher.js'
import { withoutCaller } from '../../src/domain/context/guarded-app.js'
import { unguarded } from '../../src/domain/commits/guards.js'
import { KeyedMutex } from '../../src/kernel/keyed-mutex.js'
import { DATES_KIND, StoredDates } from '../../src/domain/context/stored-dates.js'
import { STRUCTURE_KIND, StoredStructures } from '../../src/domain/context/stored-structures.js'
import { Meters } from '../../src/kernel/meters.js'
import { PageIndex } from '../../src/domain/context/page-facts.js'
import { SearchIndex } from '../../src/domain/context/search-index.js'
import { Merges } from '../../src/domain/context/merges.js'
import { Presence } from '../../src/domain/context/presence.js'
import { ReaderCounts } from '../../src/domain/context/reader-counts.js'
import { Signatures } from '../../src/domain/context/signatures.js'
import { Previews } from '../../src/domain/context/previews.js'
import { RefMoves } from '../../src/domain/context/ref-moves.js'
import { MAIN } from '../../src/domain/context/refs.js'
import { createSpace } from '../../src/domain/spaces/spaces.js'
import { remoteOptions, openGit } from '../../src/git/index.js'
import { startWorker, type Worker } from '../../src/jobs/worker.js'
import { systemClock } from '../../src/kernel/clock.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'
import {
  type ExportRequest,
  type ImportRequest,
  memberships,
  organizations,
  type SyncRunDoc,
  spaces,
  users,
} from '../../src/model/index.js'
import { signAppToken } from '../../src/auth/index.js'
import { openHosts } from '../../src/hosts/index.js'
import { openLfsFiles } from '../../src/lfs/index.js'
import { createHttpClient } from '../../src/outbound/index.js'
import { openFileShelf } from '../../src/disk/file-shelf.js'
import { createCards, createPrinter } from '../../src/printing/index.js'
import { openSpecFiles } from '../../src/openapi/index.js'
import { createBundler } from '../../src/site/bundle/bundler.js'
import { openStore } from '../../src/store/index.js'
import { filesOf } from './files-of.js'
import { type GitHttp, startGitHttp } from './git-http.js'
import { git } from './hermetic-git.js'
import { anyLease } from './lease.js'
import { sharedPool } from './shared-pool.js'

/** Files by path. Null deletes. */
export type Edit = Record<string, string | null>

/** Complete services without HTTP, over one folder, and a Git server as the remote. */
export interface Fixture {
  root: string
  app: App
  worker: Worker
  remotes: GitHttp
  actor: Actor
  organization: LoadedOrganization
  /** The log output. */
  logged: string[]
  space(): Promise<LoadedSpace>
  /** The space as stored in the documents now. */
  reload(space: LoadedSpace): Promise<LoadedSpace>
  /** A commit of the acting user on main, or on another branch. */
  edit(space: LoadedSpace, changes: Edit, ref?: RefName): Promise<CommitId>
  import(space: LoadedSpace, input: Partial<ImportRequest> & { url: string }): Promise<SyncRunDoc>
  export(space: LoadedSpace, input: Partial<ExportRequest> & { url: string }): Promise<SyncRunDoc>
  /**
   * Decides all conflicts of a run for one side, merges its change request, and waits for the sync that this resumes.
   * Returns the paths that were in conflict.
   */
  decide(space: LoadedSpace, run: SyncRunDoc, take: 'main' | 'change-request'): Promise<string[]>
  /** The newest run, when the worker is idle. */
  last(space: LoadedSpace): Promise<SyncRunDoc>
  /** Every file of a commit in the space. */
  files(space: LoadedSpace, commit?: string): Promise<Record<string, string>>
  /** Every file of a branch of a remote, read from its repository: a clone takes a dozen processes. */
  remoteFiles(url: string, branch?: string): Promise<Record<string, string>>
  /** A plain clone of a remote, and its files. */
  clone(url: string, branch?: string): Promise<{ dir: string; files: Record<string, string> }>
  close(): Promise<void>
}

const log = (into: string[]) => {
  const write = (fields: object, message: string): void =>
    void into.push(
      `${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? `${value.stack} ${value.cause}` : value))}`,
    )
  return { info: write, warn: write, error: write }
}

/** Opens documents and repositories below `root`, as the composition root does. */
export async function openApp(
  root: string,
  logged: string[],
  signingKeyFile: string | null = null,
): Promise<{ app: App; close(): Promise<void> }> {
  const locks = new KeyedMutex()
  const allowedProtocols = ['http', 'https', 'file']
  const { texts, close: closeTexts } = openTexts(undefined, sharedPool)
  const { conversions, close: closeConversions } = openConversions(10_000_000, sharedPool)
  const content = revisionCache()
  const facts = openFacts({
    file: join(root, 'facts.db'),
    kinds: FACT_KINDS,
    version: 1,
    maxBytes: 100_000_000,
    notice: () => {},
  })
  const dates = openFacts({
    file: join(root, 'dates.db'),
    kinds: [DATES_KIND],
    version: 1,
    maxBytes: 100_000_000,
    notice: () => {},
  })
  const structures = openFacts({
    file: join(root, 'structures.db'),
    kinds: [STRUCTURE_KIND],
    version: 1,
    maxBytes: 100_000_000,
    notice: () => {},
  })
  const http = createHttpClient({ allowPrivateNetworks: true, agent: 'Bindery' })
  const printer = createPrinter({ chromium: null, folder: join(root, 'pdf'), notice: () => {} })
  const app: App = {
    ...withoutCaller,
    store: await openStore({ dir: join(root, 'data') }),
    git: await openGit({
      reposDir: join(root, 'repos'),
      signingKeyFile,
      maxBlobBytes: 10_000_000,
      remote: remoteOptions({ allowedProtocols, allowPrivateNetworks: true }),
    }),
    mail: null,
    meters: new Meters(),
    signatures: new Signatures(),
    readers: new ReaderCounts(systemClock),
    http,
    hosts: openHosts({ http, signAppToken, now: () => new Date() }),
    clock: systemClock,
    settings: {
      version: '0',
      publicUrl: 'http://localhost',
      sites: { origin: 'http://127.0.0.1:3001', perOrganization: false },
      signingKey: Buffer.alloc(32),
      maxFileBytes: 10_000_000,
      maxBlobBytes: 10_000_000,
      maxPackBytes: 100_000_000,
      maxTreeEntries: 10_000,
      maxFolderEntries: 10_000,
      quotas: { spaces: 0, members: 0, files: 0, bytes: 0 },
      lfs: { maxObjectBytes: 10_000_000, maxSpaceBytes: 100_000_000 },
      remoteTimeoutMs: 30_000,
      maxSpecBytes: 10_000_000,
      specFetchMs: 60_000,
      specRefreshMs: null,
      translationCharacters: 1_000_000,
      allowedProtocols,
      connectionProtocols: allowedProtocols,
      imports: { waitMs: 0, maxMs: 60_000, maxPages: 100, maxBytes: 10_000_000, delayMs: 0 },
      connections: { pollMs: 0, quietMs: 0 },
      ssoSessionMs: 1,
      eventDays: 30,
      auditDays: 90,
      committer: { name: 'Bindery', email: 'bindery@localhost' },
    },
    translation: {
      engines: [],
      memory: { get: () => new Map(), put: () => {}, forget: () => {}, close: () => {} },
      close: async () => {},
    },
    specFiles: await openSpecFiles(join(root, 'openapi')),
    lfsFiles: await openLfsFiles(join(root, 'lfs')),
    locks,
    moves: new RefMoves(),
    merges: new Merges(),
    presence: new Presence(systemClock),
    previews: new Previews(),
    edits: new Batcher(locks, 8),
    content,
    templates: async () => new Map(),
    pages: new PageIndex(texts, facts, content),
    storedDates: new StoredDates(dates),
    storedStructures: new StoredStructures(structures),
    search: new SearchIndex({ dir: join(root, 'search'), maxBytes: 100_000_000, notice: () => {} }),
    texts,
    printer,
    cards: createCards(printer, join(root, 'cards')),
    pdfs: openFileShelf(join(root, 'pdf'), 'book.pdf', 100_000_000),
    bundles: openFileShelf(join(root, 'bundles'), 'site.zip', 100_000_000),
    bundler: createBundler(),
    assertions: openAssertions().assertions,
    conversions,
    waits: new Waits(),
    wakes: new Wakes(),
    running: new Map(),
    endRun: () => {},
    node: 'here',
    credentials: new Map(),
    log: log(logged),
  }
  const close = async (): Promise<void> => {
    await app.git.close()
    await app.search.close()
    await app.store.close()
    await app.http.close()
    await closeTexts()
    await closeConversions()
    facts.close()
    dates.close()
    structures.close()
  }
  return { app, close }
}

const tree = async (dir: string, commit: string): Promise<Record<string, string>> =>
  Object.fromEntries([...(await filesOf(dir, commit))].map(([path, text]) => [path, text.trim()]))

/** An organization with one admin, created as documents without the API. */
export async function insertOrganization(app: App): Promise<{ organization: LoadedOrganization; actor: Actor }> {
  const now = new Date().toISOString()
  const user = await app.store.insert(users, {
    id: 'ada',
    displayName: 'Ada Lovelace',
    email: 'ada@example.org',
    createdAt: now,
    proof: 'operator',
  })
  const org = {
    id: 'org',
    title: 'Org',
    createdAt: now,
    emailDomains: [],
    type: 'business' as const,
    defaultRole: null,
    defaultContent: null,
    sso: false,
    ai: false,
    inviteLinks: false,
  }
  const organization: LoadedOrganization = { doc: await app.store.insert(organizations, org), role: 'admin' }
  await app.store.insert(memberships, {
    id: 'org:ada',
    organization: 'org',
    user: 'ada',
    role: 'admin',
    joinedAt: now,
    disabled: false,
    sso: false,
  })
  const actor: Actor = { user, token: { id: 'token', readOnly: false } }
  return { organization, actor }
}

/** Starts a fixture, which must be closed. Its commits are signed if it gets a key file. */
export async function startFixture(signingKeyFile: string | null = null): Promise<Fixture> {
  const root = await mkdtemp(join(tmpdir(), 'bindery-sync-'))
  const served = await mkdtemp(join(tmpdir(), 'bindery-remotes-'))
  const remotes = await startGitHttp({ root: served })
  const logged: string[] = []
  const { app, close } = await openApp(root, logged, signingKeyFile)
  const worker = startWorker(app)
  app.wakes.connect({ jobs: worker.wake })
  const { organization, actor } = await insertOrganization(app)
  const fixture: Fixture = {
    root,
    app,
    worker,
    remotes,
    actor,
    organization,
    logged,
    space: () => createSpace(app, actor, organization, { title: 'Docs' }),
    reload: async (space) => ({ ...space, doc: (await app.store.get(spaces, space.doc.id)) ?? space.doc }),
    edit: (space, changes, ref = MAIN) =>
      moveBranch(space.repo, { ref, reason: 'edit', guard: unguarded, lease: anyLease }, async (head) =>
        makeCommit(app, space, {
          parents: [head as CommitId],
          changes: Object.entries(changes).map(([path, text]) =>
            text === null ? { path, delete: true as const } : { path, content: Buffer.from(text) },
          ),
          message: 'Edit\n',
          author: actor.user,
          overrides: await overridesAt(app, space, head as CommitId),
        }),
      ),
    async import(space, input) {
      await requestImport(app, actor, await fixture.reload(space), { ref: 'refs/heads/main', ...input })
      return fixture.last(space)
    },
    async export(space, input) {
      await requestExport(app, actor, await fixture.reload(space), {
        ref: 'refs/heads/main',
        commitMessage: 'Publish',
        ...input,
      })
      return fixture.last(space)
    },
    async decide(space, run, take) {
      const request = async () => {
        const found = await findChangeRequest(app, await fixture.reload(space), run.changeRequest ?? '')
        if (!found) throw new Error(`the run holds no conflict: ${run.state} ${run.error ?? ''}`)
        return found
      }
      // As after a restart: all that the decision needs is in the repository.
      app.content.clear()
      const held = await request()
      const paths = (await listConflicts(app, space, held)).map(({ path }) => path)
      await updateFromMain(
        app,
        actor,
        await fixture.reload(space),
        held,
        paths.map((path) => ({ path, take })),
      )
      await mergeChangeRequest(app, actor, await fixture.reload(space), await request())
      await worker.idle()
      return paths
    },
    async last(space) {
      await worker.idle()
      const run = (await listSyncRuns(app, space))[0]
      if (!run) throw new Error('no run')
      return run
    },
    files: (space, commit = 'refs/heads/main') => tree(space.repo.path, commit),
    remoteFiles: (url, branch = 'main') =>
      tree(join(served, decodeURIComponent(new URL(url).pathname)), `refs/heads/${branch}`),
    async clone(url, branch = 'main') {
      const dir = await mkdtemp(join(served, 'clone-'))
      await git(dir, ['clone', '--quiet', '--branch', branch, url, '.'])
      return { dir, files: await tree(dir, 'HEAD') }
    },
    async close() {
      await worker.stop()
      await close()
      await remotes.close()
      await Promise.all([root, served].map((dir) => rm(dir, { recursive: true, force: true })))
    },
  }
  return fixture
}
