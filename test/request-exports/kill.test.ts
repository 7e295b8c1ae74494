import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type Call, caller } from '../races/client.js'
import { type ServerProcess, startServer, TOKEN, until } from '../races/server-process.js'
import { startGitHttp } from '../support/git-http.js'
import { git } from '../support/hermetic-git.js'
import { startGitHub } from '../support/hosts/github.js'
import type { HostRequest } from '../support/hosts/host-server.js'
import { backBy, mergePull } from '../support/hosts/real-repository.js'
import { suiteWith } from '../support/suite.js'

const HOST_TOKEN = 'a-token-with-32-characters-in-it'
const ENV = {
  BINDERY_REMOTE_PROTOCOLS: 'http',
  BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
  // The test requests each action. No clock starts any.
  BINDERY_CONNECTION_QUIET_SECONDS: '3600',
  BINDERY_CONNECTION_POLL_SECONDS: '0',
}

const [test, here] = await suiteWith('kill -9 while a change request is exported', async () => {
  const root = await mkdtemp(join(tmpdir(), 'bindery-export-kill-'))
  const [remotes, host] = await Promise.all([
    startGitHttp({ root: join(root, 'remotes') }),
    startGitHub(() => new Date()),
  ])
  const bare = await remotes.createRepository('acme/docs.git', { files: { 'README.md': '# Home\n' } })
  backBy(host.repository, bare.path)
  host.tokens.set(HOST_TOKEN, ['*'])
  let server: ServerProcess | undefined
  return {
    remotes,
    host,
    bare,
    /** Starts the server, or restarts it if it was killed. */
    async start(): Promise<ServerProcess> {
      await server?.kill('tree')
      server = await startServer(root, ENV)
      return server
    },
    async close() {
      await server?.kill('tree')
      await Promise.all([remotes.close(), host.close()])
      await rm(root, { recursive: true, force: true })
    },
  }
})

const isOpening = ({ method, path }: HostRequest): boolean => method === 'POST' && path.endsWith('/pulls')

/** The places where the server is killed. Each sets the function that calls `kill`. */
const places: readonly (readonly [string, (kill: () => Promise<void>) => void])[] = [
  [
    'before the branch arrives',
    (kill) =>
      void (here.remotes.behaviour.onRequest = ({ method, url }) =>
        method === 'POST' && url.endsWith('git-receive-pack') ? kill() : undefined),
  ],
  [
    'when the branch has arrived',
    (kill) => void Object.assign(here.remotes.behaviour, { losePushResponses: true, onLostPush: kill }),
  ],
  [
    'before the pull request is opened',
    (kill) => void (here.host.watch = (request, is) => (isOpening(request) && is === 'asked' ? kill() : undefined)),
  ],
  [
    'when the pull request is open',
    (kill) => void (here.host.watch = (request, is) => (isOpening(request) && is === 'done' ? kill() : undefined)),
  ],
]

/** Disables further kills. */
function calm(): void {
  for (const name of ['onRequest', 'losePushResponses', 'onLostPush'] as const) delete here.remotes.behaviour[name]
  delete here.host.watch
}

/** Kills the server once, at the place that `set` names, and resolves when it has ended. */
function killed(server: ServerProcess, set: (kill: () => Promise<void>) => void): Promise<void> {
  return new Promise((done, failed) =>
    set(async () => {
      calm()
      await server.kill('server').then(done, failed)
    }),
  )
}

async function begin(server: ServerProcess): Promise<string> {
  const call = caller(server.url, TOKEN)
  const space = (await call('POST', `/v1/orgs/${server.organization}/spaces`, { title: 'Docs', editMode: 'live' })).body
    .id
  const made = await call('POST', `/v1/spaces/${space}/git/connections`, {
    url: here.bare.url,
    ref: 'refs/heads/main',
    provider: 'github',
    apiUrl: here.host.apiUrl,
    credential: { kind: 'token', token: HOST_TOKEN },
    pullRequests: { changeRequests: true },
  })
  assert.is(made.status, 201, JSON.stringify(made.body))
  const path = `/v1/spaces/${space}/git/connections/${made.body.id}`
  await until(async () => ((await call('GET', path)).body.lastRun?.state === 'success' ? true : null))
  return space
}

async function request(call: Call, space: string, title: string): Promise<string> {
  const { number } = (await call('POST', `/v1/spaces/${space}/change-requests`, { subject: title })).body
  const changes = [{ operation: 'insert_page', title, document: { markdown: `# ${title}\n` } }]
  assert.is((await call('POST', `/v1/spaces/${space}/change-requests/${number}/content`, { changes })).status, 200)
  return `/v1/spaces/${space}/change-requests/${number}`
}

test('a kill at any point leaves one commit and one pull request, which is merged later', async () => {
  const { pulls } = here.host.repository
  let server = await here.start()
  const space = await begin(server)
  let last = ''
  for (const [index, [place, set]] of places.entries()) {
    last = await request(caller(server.url, TOKEN), space, `Page ${index}`)
    const end = killed(server, set)
    assert.is((await caller(server.url, TOKEN)('POST', `${last}/git/pull-request`, {})).status, 202, place)
    await end
    server = await here.start()
    const call = caller(server.url, TOKEN)
    const { body } = await until(async () => {
      const response = await call('GET', `${last}/git/pull-request`)
      return response.body.status === 'open' && response.body.commit !== undefined ? response : null
    })
    assert.is(body.problem, undefined, place)
    assert.equal([body.pullRequest.number, pulls.length], [index + 1, index + 1], place)
    assert.is(await git(here.bare.path, ['rev-list', '--count', `main..${body.branch}`]), '1', place)
    assert.is(await here.bare.head(body.branch), body.commit, place)
  }
  // Merged on the host, and killed when the server asks for the result.
  await mergePull(here.host.repository, here.bare.path, pulls.at(-1) as (typeof pulls)[number], 'squash')
  const end = killed(
    server,
    (kill) => void (here.host.watch = ({ path }) => (/\/pulls\/\d+\/commits/.test(path) ? kill() : undefined)),
  )
  await caller(server.url, TOKEN)('POST', `${last}/git/pull-request`, {}).catch(() => undefined)
  await end
  server = await here.start()
  const call = caller(server.url, TOKEN)
  await until(async () => ((await call('GET', last)).body.status === 'merged' ? true : null))
  const { body } = await call('GET', `${last}/git/pull-request`)
  assert.equal(body.merged.commits, [await here.bare.head()])
  assert.is(await git(here.bare.path, ['show', `main:page-${places.length - 1}.md`]), `# Page ${places.length - 1}`)
})

test('a change request keeps its last edit if a kill follows the merge and the late push', async () => {
  let server = await here.start()
  const space = await begin(server)
  const call = caller(server.url, TOKEN)
  const path = await request(call, space, 'Early')
  assert.is((await call('POST', `${path}/git/pull-request`, {})).status, 202)
  await until(async () => ((await call('GET', `${path}/git/pull-request`)).body.status === 'open' ? true : null))
  const changes = [{ operation: 'insert_page', title: 'Late', document: { markdown: '# Late\n' } }]
  assert.is((await call('POST', `${path}/content`, { changes })).status, 200)
  const pull = here.host.repository.pulls.at(-1) as (typeof here.host.repository.pulls)[number]
  const end = killed(server, (kill) => {
    here.remotes.behaviour.onRequest = async ({ method, url }) => {
      if (method !== 'POST' || !url.endsWith('git-receive-pack')) return
      delete here.remotes.behaviour.onRequest
      await mergePull(here.host.repository, here.bare.path, pull, 'squash')
      Object.assign(here.remotes.behaviour, { losePushResponses: true, onLostPush: kill })
    }
  })
  await call('POST', `${path}/git/pull-request`, {}).catch(() => undefined)
  await end
  server = await here.start()
  const again = caller(server.url, TOKEN)
  const done = await until(async () => {
    const { body } = await again('GET', `${path}/git/pull-request`)
    return body.status === 'merged' && body.waitsFor === undefined ? body : null
  })
  assert.match(done.reason, /Later changes stay in the change request/)
  assert.is((await again('GET', path)).body.status, 'draft')
  assert.is((await again('POST', `${path}/merge`, {})).status, 200)
  const { body } = await again('GET', `/v1/spaces/${space}/content/pages`)
  assert.ok(JSON.stringify(body).includes('"Late"'), JSON.stringify(body))
})

test.run()
