// A service with a manual clock, a Git server, and spaces that are connected to its repositories.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Files } from '../support/bare-repository.js'
import { type GitHttp, startGitHttp } from '../support/git-http.js'
import { handClock } from '../support/hand-clock.js'
import { git, gitBytes } from '../support/hermetic-git.js'
import { startService, type TestService } from '../support/service.js'

export const QUIET_MS = 10_000
export const POLL_MS = 300_000

export type Repository = Awaited<ReturnType<GitHttp['createRepository']>>

/** The operations of a service that tests use, in this process or in another one. */
export type Served = Pick<TestService, 'admin' | 'organization' | 'dir' | 'url' | 'restart' | 'close'>

/** Spaces of a service that are connected to repositories of a Git server. */
export interface ConnectedSpaces<S extends Served> {
  service: S
  remotes: GitHttp
  /** A new space whose main can be edited. */
  space(): Promise<string>
  repository(files?: Files): Promise<Repository>
  /** Connects a space, and waits for the first run. */
  connect(space: string, body: object): Promise<{ id: string; base: string; webhookSecret: string }>
  get(base: string): Promise<
    Record<string, never> & {
      failure?: { cause: string; message: string }
      lastRun?: { state: string; result?: string }
    }
  >
  /** Writes a page. */
  write(space: string, title: string, text: string): Promise<void>
  /** Advances the clock, and starts everything that is due by then. */
  begin(ms: number): Promise<void>
  /** Advances the clock, and waits until everything that is due by then is done. */
  forward(ms: number): Promise<void>
  idle(): Promise<void>
  /** The files of local main, and of a branch of the repository. */
  files(space: string): Promise<Record<string, string>>
  remoteFiles(repository: Repository, ref?: string): Promise<Record<string, string>>
  close(): Promise<void>
}

export interface Connected extends ConnectedSpaces<TestService> {
  clock: ReturnType<typeof handClock>
}

/** Returns the trimmed texts of all files of a commit or a tree. Uses two processes for any number of files. */
async function filesOf(dir: string, tree: string): Promise<Record<string, string>> {
  const listed = (await git(dir, ['ls-tree', '-r', '-z', tree])).split('\0').filter((line) => line !== '')
  const entries = listed.map((line) => ({ oid: line.split(/[ \t]/)[2], name: line.slice(line.indexOf('\t') + 1) }))
  const read = await gitBytes(dir, ['cat-file', '--batch'], entries.map(({ oid }) => `${oid}\n`).join(''))
  const files: Record<string, string> = {}
  let at = 0
  for (const { name } of entries) {
    const start = read.indexOf('\n', at) + 1
    const size = Number(read.toString('latin1', at, start).trim().split(' ')[2])
    files[name] = read.toString('utf8', start, start + size).trim()
    at = start + size + 1
  }
  return files
}

/** Settings of a service with a manual clock. */
export const timesOf = {
  BINDERY_CONNECTION_QUIET_SECONDS: String(QUIET_MS / 1000),
  BINDERY_CONNECTION_POLL_SECONDS: String(POLL_MS / 1000),
}

/** Starts the service. Each repository gets a short name, so that an error identifies it. */
export async function startConnected(options: Parameters<typeof startService>[0] = {}): Promise<Connected> {
  const clock = handClock()
  const service = await startService({
    ...options,
    env: { ...timesOf, ...options.env },
    overrides: { clock, ...options.overrides },
  })
  const begin = async (ms: number): Promise<void> => {
    clock.forward(ms)
    service.service.app.wakes.connections()
    service.service.app.wakes.jobs()
  }
  return { ...(await connectedSpaces(service, { begin, idle: () => service.service.idle() })), clock }
}

/** Adds a Git server to a service. */
export async function connectedSpaces<S extends Served>(
  service: S,
  { begin, idle }: Pick<ConnectedSpaces<S>, 'begin' | 'idle'>,
): Promise<ConnectedSpaces<S>> {
  const root = await mkdtemp(join(tmpdir(), 'bindery-remotes-'))
  const remotes = await startGitHttp({ root })
  let made = 0
  const { admin, organization } = service
  const here: ConnectedSpaces<S> = {
    service,
    remotes,
    begin,
    idle,
    async space() {
      const { body } = await admin
        .call('post', `/v1/orgs/${organization}/spaces`, { title: `Docs ${++made}`, editMode: 'live' })
        .expect(201)
      return body.id
    },
    repository: (files) => remotes.createRepository(`r${++made}.git`, files ? { files } : {}),
    async connect(space, body) {
      const all = `/v1/spaces/${space}/git/connections`
      const { body: doc } = await admin.call('post', all, { ref: 'refs/heads/main', ...body }).expect(201)
      await here.idle()
      return { id: doc.id, base: `${all}/${doc.id}`, webhookSecret: doc.webhookSecret }
    },
    get: async (base) => (await admin.call('get', base).expect(200)).body,
    async write(space, title, text) {
      const changes = [{ operation: 'insert_page', title, document: { markdown: text } }]
      await admin.call('post', `/v1/spaces/${space}/content`, { changes }).expect(200)
    },
    async forward(ms) {
      await begin(ms)
      await idle()
    },
    files: (space) => filesOf(join(service.dir, 'repos', `${space}.git`), 'refs/heads/main'),
    remoteFiles: (repository, ref = 'refs/heads/main') => filesOf(repository.path, ref),
    async close() {
      await service.close()
      await remotes.close()
      await rm(root, { recursive: true, force: true })
    },
  }
  return here
}
