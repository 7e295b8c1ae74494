// @own-process: it starts and kills servers
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { type ServerProcess, startServer, TOKEN } from '../races/server-process.js'
import { suite } from '../support/suite.js'
import { capitals, serveEngines } from './engine-server.js'

const test = suite('translations/kill')
const BLOCKS = Array.from({ length: 120 }, (_, n) => `Block number ${n} has words.`)

const ask = async (server: ServerProcess, path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const response = await fetch(`${server.url}/v1${path}`, { headers, ...init })
  return (response.status === 204 ? {} : await response.json()) as Record<string, never> & {
    id: string
    status: string
    result: { space: string }
    stats: Record<string, number>
  }
}
const post = (server: ServerProcess, path: string, body: object = {}) =>
  ask(server, path, { method: 'POST', body: JSON.stringify(body) })

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(5)
}

test(
  'a killed run finishes once, and pays again only for the running request',
  async () => {
    const [dir, engine] = [await mkdtemp(join(tmpdir(), 'bindery-translate-')), await serveEngines()]
    const env = { BINDERY_DEEPL_URL: engine.url, BINDERY_DEEPL_KEY: 'k' }
    let server = await startServer(dir, env)
    const base = `/orgs/${server.organization}/translations`
    const source = (await post(server, `/orgs/${server.organization}/spaces`, { title: 'Docs' })).id
    const page = {
      operation: 'insert_page',
      title: 'One',
      slug: 'one',
      document: { markdown: `# One\n\n${BLOCKS.join('\n\n')}\n` },
    }
    await post(server, `/spaces/${source}/content`, { changes: [page] })
    // The third request never gets a response.
    let asked = 0
    engine.translate = (text) => {
      if (++asked === 50) engine.faults.push(null)
      return capitals(text)
    }
    const { id, result } = await post(server, base, { language: 'es', source: { space: source } })
    await until(() => engine.requests.filter(({ path }) => path === '/v2/translate').length === 2)
    const paid = [...engine.texts]
    assert.is(paid.length, 50)
    await server.kill('server')
    server = await startServer(dir, env)
    // Main of the result moves: the run is not yet, or just now, recorded as ended.
    const ref = join(dir, 'repos', `${result.space}.git`, 'refs/heads/main')
    const before = await readFile(ref, 'utf8')
    await until(async () => (await readFile(ref, 'utf8').catch(() => before)) !== before)
    await server.kill('server')
    server = await startServer(dir, env)
    await until(async () => ['completed', 'failed'].includes((await ask(server, `${base}/${id}`)).status))
    const done = await ask(server, `${base}/${id}`)
    assert.is(done.status, 'completed')
    // The blocks, the title of the page twice, that of the first page twice, and that of the table of contents.
    assert.equal([done.stats.runs, done.stats.latestWords], [1, 120 * 5 + 7])
    assert.equal(
      engine.texts.slice(50).filter((text) => paid.includes(text)),
      [],
    )
    const log = execFileSync('git', [
      '-C',
      join(dir, 'repos', `${result.space}.git`),
      'log',
      '--format=%s',
      'main',
    ]).toString()
    assert.is(log.split('\n').filter((line) => line.startsWith('Translate ')).length, 1)
    const text = JSON.stringify(await ask(server, `/spaces/${result.space}/content/path/one`))
    for (const block of BLOCKS) assert.match(text, block.toUpperCase())
    await server.kill('tree')
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  },
  { timeoutMs: 180_000 },
)

test.run()
