import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../support/suite.js'
import { type Call, caller, insertPage, updatePage } from './client.js'
import { PlainGit } from './plain-git.js'
import { launch, type ServerProcess, startServer, TOKEN, until } from './server-process.js'

const test = suite('the life of a server')

/** A folder, and servers on it that are always stopped at the end. */
async function within(
  work: (
    dir: string,
    start: (env?: Record<string, string>) => Promise<ServerProcess & { call: Call }>,
  ) => Promise<void>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-life-'))
  const started: ServerProcess[] = []
  try {
    await work(dir, async (env) => {
      const server = await startServer(dir, env)
      started.push(server)
      return { ...server, call: caller(server.url, TOKEN) }
    })
  } finally {
    for (const server of started) await server.kill('tree')
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Asks the server to stop, as a process manager does. Returns its exit code. */
function stop(server: ServerProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  server.child.kill(signal)
  return server.ended
}

async function newSpace(
  { call, organization }: { call: Call; organization: string },
  title = 'Handbook',
): Promise<string> {
  return (await call('POST', `/v1/orgs/${organization}/spaces`, { title })).body.id
}

test('a second server on the same data does not start, and reports the running one', async () => {
  await within(async (dir, start) => {
    const first = await start()
    const space = await newSpace(first)
    const second = launch(dir)
    assert.is(await second.ended, 2)
    assert.match(second.output(), new RegExp(`is in use by process ${first.child.pid} on \\S+ since \\d{4}-`))
    assert.not.match(second.output(), /\n\s+at /)
    assert.is((await first.call('GET', `/v1/spaces/${space}`)).status, 200)
    assert.is(await stop(first), 0)
    // The data are free now that the server has ended, even if it was killed.
    const third = await start()
    await third.kill('server')
    assert.is((await (await start()).call('GET', `/v1/spaces/${space}`)).status, 200)
  })
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`a server finishes running requests after ${signal}, then exits with 0`, async () => {
    await within(async (dir, start) => {
      const server = await start()
      const space = await newSpace(server)
      const body = JSON.stringify(insertPage('Slow', 'Half of it comes late'))
      const slow = request(`${server.url}/v1/spaces/${space}/content`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${TOKEN}`,
          'Content-Type': 'application/json',
          'Content-Length': String(body.length),
          Expect: '100-continue',
        },
      })
      const received = new Promise<{ status: number; text: string }>((resolve, reject) => {
        slow.on('error', reject).on('response', (response) => {
          let text = ''
          response
            .on('data', (chunk) => (text += chunk))
            .on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        })
      })
      await new Promise((done) => slow.on('continue', done))
      slow.write(body.slice(0, 20))
      const ended = stop(server, signal)
      // It accepts no new connections while the slow one is still open.
      await until(() =>
        fetch(`${server.url}/readyz`).then(
          ({ status }) => (status === 503 ? true : null),
          () => true,
        ),
      )
      assert.is(server.child.exitCode, null)
      slow.end(body.slice(20))
      const { status, text } = await received
      assert.is(status, 200, text)
      assert.is(await ended, 0)
      const git = new PlainGit(join(dir, 'repos', `${space}.git`))
      assert.is(await git.run(['rev-parse', 'refs/heads/main']), JSON.parse(text).revision)
      assert.is(await git.fsck(), '')
    })
  })
}

test('a restarted server serves the same data under the same IDs', async () => {
  await within(async (_, start) => {
    const before = await start()
    const space = await newSpace(before)
    const base = `/v1/spaces/${space}`
    const page = (await before.call('POST', `${base}/content`, insertPage('One', 'First'))).body.changes[0].page
    // Moved: from now on, its ID differs from that of its path.
    await before.call('POST', `${base}/content`, { changes: [{ operation: 'update_page', page, slug: 'moved' }] })
    await before.call('POST', `${base}/change-requests`, { subject: 'Draft' })
    await before.call('POST', `${base}/change-requests/1/content`, updatePage(page, 'In the draft'))
    const token = (await before.call('POST', '/v1/user/tokens', { label: 'Kept' })).body.token
    const everything = async (call: Call): Promise<string> => {
      const paths = [
        base,
        `${base}/content`,
        `${base}/content/page/${page}?format=markdown`,
        `${base}/change-requests?status=draft`,
        `${base}/change-requests/1/content`,
        '/v1/user',
        '/v1/user/tokens',
      ]
      const bodies = []
      for (const path of paths) {
        const { status, body } = await call('GET', path)
        assert.is(status, 200, path)
        bodies.push(body)
      }
      return JSON.stringify(bodies).replaceAll(call.url, '')
    }
    const told = await everything(before.call)
    assert.is(await stop(before), 0)
    const after = await start()
    assert.is(await everything(after.call), told)
    assert.is((await caller(after.url, token)('GET', '/v1/user')).status, 200)
    await after.kill('tree')
    assert.is(await everything((await start()).call), told)
  })
})

test(
  'the repository still has the page IDs if the document store is lost',
  async () => {
    await within(async (dir, start) => {
      const before = await start()
      const space = await newSpace(before)
      const made = await before.call('POST', `/v1/spaces/${space}/content`, {
        changes: ['Stays', 'Moves', 'Swaps'].map((title) => ({
          operation: 'insert_page',
          title,
          document: { markdown: `# ${title}\n` },
        })),
      })
      const [, moves] = made.body.changes.map((one: { page: string }) => one.page)
      await before.call('POST', `/v1/spaces/${space}/content`, {
        changes: [{ operation: 'update_page', page: moves, slug: 'elsewhere' }],
      })
      const ids = async (call: Call, id: string): Promise<Record<string, string>> =>
        Object.fromEntries(
          (await call('GET', `/v1/spaces/${id}/content/pages`)).body.pages.map((one: { path: string; id: string }) => [
            one.path,
            one.id,
          ]),
        )
      const told = await ids(before.call, space)
      assert.is(told.elsewhere, moves)
      assert.is(await stop(before), 0)

      rmSync(join(dir, 'data/store'), { recursive: true })
      const after = await start({ BINDERY_ALLOW_PRIVATE_NETWORKS: 'true' })
      assert.is((await after.call('GET', `/v1/spaces/${space}`)).status, 404)
      const again = await newSpace(after)
      const asked = await after.call('POST', `/v1/spaces/${again}/git/import`, {
        url: `file://${join(dir, 'repos', `${space}.git`)}`,
        ref: 'refs/heads/main',
      })
      assert.ok(asked.status < 300, JSON.stringify(asked.body))
      const info = await until(async () => {
        const { body } = await after.call('GET', `/v1/spaces/${again}/git/info`)
        return ['success', 'failure', 'conflict'].includes(body.state) ? body : null
      })
      assert.is(info.state, 'success', JSON.stringify(info))
      assert.equal(await ids(after.call, again), told)
    })
  },
  { embeddedOnly: 'data-folder' },
)

test.run()
