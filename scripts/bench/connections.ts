/**
 * Measures connections at 1,000 pages: a run that imports or exports one commit, and a poll without changes, against
 * Git alone for the same work.
 */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { loadConfig as load } from '../../src/config.js'
import type { pollGroup as poll } from '../../src/domain/connections/poll.js'
import type { connections as table } from '../../src/model/index.js'
import type { start as startOf } from '../../src/server.js'
import { startGitHttp } from '../../test/support/git-http.js'
import { git } from '../../test/support/hermetic-git.js'
import { built } from './built.js'
import { generateRepository, pagePath, pageText } from './generated.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, type Json, pageIds, type Server, startService } from './processes.js'

const PAGES = 1000
const ROUNDS = 15
const WARM_UP = 2
const MAIN = 'refs/heads/main'

export const connectionLines = [
  'import of one commit at 1,000 pages / native fetch',
  'export of one commit at 1,000 pages / native push',
  // A poll is one `git ls-remote`. The rest is the time for checking the address, for the shell that guards the
  // process, and for the comparison.
  'a poll that finds nothing / git ls-remote',
] as const
const TARGETS = [2, 2, 1.5] as const

interface Sides {
  ours: (round: number) => Promise<number>
  native: (round: number) => Promise<number>
}

/** Imports, exports and polls through connections to repositories behind smart HTTP. */
export async function connectionRuns(dir: string, wanted: (name: string) => boolean): Promise<Line[]> {
  const root = join(dir, 'connected-remotes')
  for (const name of ['imports', 'exports', 'pushes']) await generateRepository(join(root, `${name}.git`), PAGES, 300)
  for (const name of ['exports', 'pushes']) await git(join(root, `${name}.git`), ['config', 'http.receivepack', 'true'])
  const remotes = await startGitHttp({ root })
  // Disable everything that is not requested here: later polls and automatic exports.
  const env = { BINDERY_CONNECTION_POLL_SECONDS: '0', BINDERY_CONNECTION_QUIET_SECONDS: '3600' }
  const service = await startService(join(dir, 'connected'), env)
  const lines: Line[] = []
  const measure = async (index: 0 | 1 | 2, { ours, native }: Sides): Promise<void> => {
    await interleaved(WARM_UP, { ours, native })
    const found = await interleaved(ROUNDS, {
      ours: (round) => ours(round + WARM_UP),
      native: (round) => native(round + WARM_UP),
    })
    const detail = `${ms(median(found.ours))} to ${ms(median(found.native))}`
    lines.push({
      name: connectionLines[index],
      sense: 'most',
      target: TARGETS[index],
      ratios: ratiosOf(found.ours, found.native),
      detail,
    })
  }
  try {
    const imports = await connect(service, `${remotes.url}/imports.git`, 'import')
    if (wanted(connectionLines[0]))
      await measure(0, await importSides(dir, service, imports, join(root, 'imports.git')))
    if (wanted(connectionLines[1])) await measure(1, await exportSides(dir, service, remotes.url))
    await service.stop()
    if (wanted(connectionLines[2])) await withPolls(join(dir, 'connected'), imports, (sides) => measure(2, sides))
  } finally {
    await service.stop()
    await remotes.close()
  }
  return lines
}

interface Connected {
  space: string
  id: string
  url: string
}

/** Creates a space with a connection, and waits for its first run. */
async function connect(service: Server, url: string, direction: 'import' | 'both'): Promise<Connected> {
  const { json: organizations } = await call(service, 'GET', '/v1/orgs')
  const { json: space } = await call(service, 'POST', `/v1/orgs/${organizations.items[0].id}/spaces`, {
    title: 'Connected',
    editMode: 'live',
  })
  const { json: made } = await call(service, 'POST', `/v1/spaces/${space.id}/git/connections`, {
    url,
    ref: MAIN,
    direction,
  })
  const connected = { space: space.id, id: made.id, url }
  await ended(service, connected)
  return connected
}

/** Waits for the end of the newest run. Throws unless it succeeds. */
async function ended(service: Server, { space, id }: Connected): Promise<Json> {
  for (;;) {
    const { json } = await call(service, 'GET', `/v1/spaces/${space}/git/connections/${id}/runs?limit=1`)
    const run = json.items[0]
    if (run?.state === 'success') return run
    if (run && run.state !== 'queued' && run.state !== 'running')
      throw new Error(`the run ended in ${run.state}: ${run.error}`)
    await setTimeout(5)
  }
}

/** Starts a run and waits for its end. Throws if its result differs from the expected one. */
async function run(
  service: Server,
  connected: Connected,
  direction: 'import' | 'export',
  expected: string,
): Promise<void> {
  await call(service, 'POST', `/v1/spaces/${connected.space}/git/connections/${connected.id}/run`, { direction })
  const { result } = await ended(service, connected)
  if (result !== expected) throw new Error(`the result of the run was ${result} instead of ${expected}`)
}

/** Adds a commit that changes one page to a bare repository's branch. */
async function commitPage(repository: string, index: string, page: number, edition: number): Promise<void> {
  const blob = await git(repository, ['hash-object', '-w', '--stdin'], Buffer.from(pageText(page, edition)))
  const env = { GIT_INDEX_FILE: index }
  await git(repository, ['read-tree', MAIN], undefined, env)
  await git(repository, ['update-index', '--cacheinfo', `100644,${blob},${pagePath(page)}`], undefined, env)
  const tree = await git(repository, ['write-tree'], undefined, env)
  const commit = await git(repository, ['commit-tree', tree, '-p', MAIN, '-m', 'Change a page'])
  await git(repository, ['update-ref', MAIN, commit])
}

const pageOf = (round: number): number => (round * 7919) % PAGES

/** Both sides import the same commit. The first side that runs creates it. */
async function importSides(dir: string, service: Server, connected: Connected, repository: string): Promise<Sides> {
  const clone = join(dir, 'fetcher.git')
  await git(dir, ['clone', '--quiet', '--bare', connected.url, clone])
  let made = 0
  const newCommit = async (round: number): Promise<void> => {
    // The sides take turns in starting a round, so each commit is requested twice in a row.
    if (made++ % 2 === 0) await commitPage(repository, join(dir, 'index-imports'), pageOf(round), 5000 + made)
  }
  return {
    ours: async (round) => {
      await newCommit(round)
      return timed(() => run(service, connected, 'import', 'merged'))
    },
    native: async (round) => {
      await newCommit(round)
      return timed(() => git(clone, ['fetch', '--quiet', connected.url, `${MAIN}:${MAIN}`]))
    },
  }
}

/** Exports an edit made through the API; pushes a commit made with Git to another repository with the same content. */
async function exportSides(dir: string, service: Server, remotes: string): Promise<Sides> {
  const connected = await connect(service, `${remotes}/exports.git`, 'both')
  const ids = (await pageIds(service, connected.space)).slice(1)
  const clone = join(dir, 'pusher-of-pages.git')
  await git(dir, ['clone', '--quiet', '--bare', `${remotes}/pushes.git`, clone])
  return {
    ours: async (round) => {
      const changes = [
        {
          operation: 'update_page',
          page: ids[pageOf(round)],
          document: { markdown: pageText(pageOf(round), 6000 + round) },
        },
      ]
      await call(service, 'POST', `/v1/spaces/${connected.space}/content`, { changes })
      return timed(() => run(service, connected, 'export', 'exported'))
    },
    native: async (round) => {
      await commitPage(clone, join(dir, 'index-pushes'), pageOf(round), 7000 + round)
      return timed(() => git(clone, ['push', '--quiet', `${remotes}/pushes.git`, `${MAIN}:${MAIN}`]))
    },
  }
}

/**
 * Opens the stopped service in this process, without its worker and driver. A poll writes nothing, so its end is not
 * visible from outside.
 */
async function withPolls(folder: string, { id, url }: Connected, work: (sides: Sides) => Promise<void>): Promise<void> {
  const [{ start }, { loadConfig }, { pollGroup }, { connections }] = await built<
    [{ start: typeof startOf }, { loadConfig: typeof load }, { pollGroup: typeof poll }, { connections: typeof table }]
  >('server.ts', 'config.ts', 'domain/connections/poll.ts', 'model/index.ts')
  const config = loadConfig({
    BINDERY_PORT: '0',
    BINDERY_SITES_PORT: '0',
    BINDERY_SAMPLE_SITE: 'false',
    BINDERY_DATA_DIR: join(folder, 'data'),
    BINDERY_REPOS_DIR: join(folder, 'repos'),
    BINDERY_REMOTE_PROTOCOLS: 'http',
    BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
    BINDERY_LOG_LEVEL: 'silent',
  })
  const { app, close } = await start(config, { withoutWorker: true })
  try {
    const connection = await app.store.get(connections, id)
    if (!connection) throw new Error('the connection is gone')
    const { signal } = new AbortController()
    await work({
      ours: () =>
        timed(async () => {
          if (!(await pollGroup(app, [connection], 'poll', signal))) throw new Error('the poll failed')
        }),
      native: () => timed(() => git(folder, ['ls-remote', '--quiet', url, MAIN])),
    })
  } finally {
    await close()
  }
}
