// @own-process: it builds the server and starts it
/** The built server: its bundles find the files, threads and processes that they use, and stack traces name the sources. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { startWebsite } from '../imports/website.js'
import { suite } from '../support/suite.js'

const test = suite('build')
/** Next to the packages and the templates, as `dist` is. */
const built = fileURLToPath(new URL('../../built', import.meta.url))
const main = join(built, 'main.js')
let dir = ''

/** Runs a command of the built server. */
const run = (command: string, ...given: (string | Record<string, string>)[]) =>
  promisify(execFile)(process.execPath, [main, command, ...given.filter((one) => typeof one === 'string')], {
    env: { PATH: process.env.PATH, HOME: dir, TMPDIR: dir, ...given.find((one) => typeof one === 'object') },
  }).catch((error: { stdout: string; stderr: string; code?: number }) => error)

test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'built-'))
  await mkdir(join(dir, 'docs'))
  await writeFile(join(dir, 'docs', 'README.md'), '# Start\n\n[Nothing](nothing.md)\n\n```js\nconst one = 1\n```\n')
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/build-server.ts', built])
  for (const part of ['site', 'desk']) {
    await mkdir(join(built, part), { recursive: true })
    await symlink(fileURLToPath(new URL(`../../src/${part}/assets`, import.meta.url)), join(built, part, 'assets'))
  }
})
test.after(() => rm(dir, { recursive: true, force: true }))

/** The built files, with their texts. */
async function bundles(): Promise<{ path: string; text: string }[]> {
  const names = await readdir(built, { recursive: true })
  const paths = names.filter((name) => name.endsWith('.js')).map((name) => join(built, name))
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, 'utf8') })))
}

test('a stack trace names the source', async () => {
  await writeFile(join(dir, 'file'), '')
  const { stderr } = await run('serve', { BINDERY_DATA_DIR: join(dir, 'file', 'data') })
  const [, file = '', line = ''] =
    /at async makeDurableFolder \((.*\/src\/disk\/durable-folder\.ts):(\d+):/.exec(stderr) ?? []
  assert.ok(existsSync(file), stderr)
  assert.match((await readFile(file, 'utf8')).split('\n')[Number(line) - 1] ?? '', /await mkdir\(/)
})

test('every module that a bundle starts or reads by its place exists', async () => {
  const named: string[] = []
  for (const { path, text } of await bundles())
    for (const [, file = '', own = ''] of text.matchAll(
      /new URL\("(\.\.?\/[^"]*)", new URL\("([^"]+)", import\.meta\.url\)\.href\)/g,
    ))
      named.push(fileURLToPath(new URL(file, new URL(own, pathToFileURL(path)))))
  for (const started of ['render/tasks.js', 'search/tasks.js', 'conversion/tasks.js', 'auth/saml/tasks.js'])
    assert.ok(named.includes(join(built, started)), started)
  // A server that runs from its sources finds the last build there.
  const isLastBuild = (file: string): boolean => /\/dist\/(site|desk)\/assets\/$/.test(file)
  assert.equal(
    named.filter((file) => !existsSync(file) && !isLastBuild(file)),
    [],
  )
  assert.equal(
    (await bundles()).filter(({ text }) => text.includes('@root/')).map(({ path }) => path),
    [],
  )
})

test('the command line loads without the server', async () => {
  let bytes = 0
  const seen = new Set<string>()
  const load = async (path: string): Promise<void> => {
    if (seen.has(path)) return
    seen.add(path)
    const text = await readFile(path, 'utf8')
    bytes += text.length
    for (const [, from = ''] of text.matchAll(/^(?:import|export)\b[^"';]*["'](\.{1,2}\/[^"']+)["'];$/gm))
      await load(join(dirname(path), from))
  }
  await load(main)
  assert.ok(seen.size > 1 && bytes < 300_000, `${bytes} bytes in ${[...seen].join(', ')}`)
  assert.match((await run('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
})

test('a check parses pages in threads', async () => {
  const { stdout } = await run('check', join(dir, 'docs'))
  assert.match(stdout, /^README\.md:3:11: error: The link to "nothing\.md" is broken\./)
})

test('a new server shows, searches, imports and reads specifications', async () => {
  const token = 'bindery_test_admin_token_0123456789'
  const child = spawn(process.execPath, [main, 'serve'], {
    cwd: dir,
    env: {
      PATH: process.env.PATH,
      HOME: dir,
      TMPDIR: dir,
      BINDERY_PORT: '0',
      BINDERY_SITES_PORT: '0',
      BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
      BINDERY_ADMIN_TOKEN: token,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const website = await startWebsite({ '/': '<title>Moved</title><h1>Moved</h1><p>From <b>HTML</b>.</p>' })
  try {
    let output = ''
    for await (const piece of child.stdout) if (/curl/.test((output += piece))) break
    const [, url = ''] = /is ready at (\S+)/.exec(output) ?? []
    const [, site = ''] = /Sample site +(\S+)/.exec(output) ?? []
    const [, organization = ''] = /Organization +(\S+)/.exec(output) ?? []
    const page = await (await fetch(site)).text()
    assert.match(page, /<h1/)
    const [, sheet = ''] = /href="([^"]+\.css)"/.exec(page) ?? []
    assert.is((await fetch(new URL(sheet, site))).status, 200)
    assert.match(await (await fetch(`${site}/~search?q=bindery`)).text(), /<mark>/)
    assert.is((await fetch(`${url}/docs`)).status, 200)
    const call = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const answer = await fetch(`${url}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok ? '' : await answer.text()}`)
      return (await answer.json()) as Record<string, unknown>
    }
    const { id: space } = await call(`orgs/${organization}/spaces`, { title: 'Imported' })
    assert.ok((await call(`spaces/${space}/content/import`, { url: website.url, source: 'html' })).revision)
    const text = JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths: {} })
    assert.ok((await call(`orgs/${organization}/openapi`, { slug: 'pets', source: { text } })).id)
  } finally {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    await website.close()
  }
})

test.run()
