// @own-process: it starts servers and sends them signals
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, realpath, rm, unlink, writeFile } from 'node:fs/promises'
import { request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as assert from 'uvu/assert'
import { folderBytes } from '../support/folder-bytes.js'
import { git } from '../support/hermetic-git.js'
import { moduleArguments } from '../support/own-process.js'
import { suite } from '../support/suite.js'

const test = suite('preview command')

async function write(dir: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), content)
  }
}

/** A running preview. */
interface Running {
  address: string
  /** The folder for temporary files. */
  temporary: string
  /** Returns all of its output. */
  output(): string
  /** Resolves when the output matches. */
  said(pattern: RegExp): Promise<void>
  /** Sends a signal. Returns the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts the command as a user without settings does: with an empty home folder. */
async function start(dir: string, ...args: string[]): Promise<Running> {
  const [home, temporary] = [join(dir, 'home'), join(dir, 'tmp')]
  for (const folder of [home, temporary]) await mkdir(folder, { recursive: true })
  const main = moduleArguments('../../src/main.js', import.meta.url)
  const child = spawn(process.execPath, [...main, 'preview', ...args, '--port', '0'], {
    cwd: dir,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  const said = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(output)) {
      assert.is(child.exitCode, null, output)
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
    }
  }
  await said(/is ready at http:\S+\n/)
  const address = /ready at (\S+)/.exec(output)?.[1] as string
  return { address, temporary, output: () => output, said, end: (signal) => end(child, signal) }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const ended = once(child, 'exit')
  child.kill(signal)
  const [code] = await ended
  return code as number | null
}

/** Requests a page of the preview. The server listens on 127.0.0.1 only. */
function get(address: string, path: string, host?: string): Promise<{ status: number; policy: string; body: string }> {
  const { port } = new URL(address)
  return new Promise((done, failed) => {
    const headers = { Host: host ?? `localhost:${port}` }
    send({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      const policy = String(response.headers['content-security-policy'] ?? '')
      text(response).then((body) => done({ status: response.statusCode ?? 0, policy, body }), failed)
    })
      .once('error', failed)
      .end()
  })
}

/** Listens to reloads, as an open page does. `next` resolves at the next one. */
async function listen(address: string): Promise<{ next(): Promise<void>; ended: Promise<unknown> }> {
  const { port } = new URL(address)
  const path = '/~reload/events'
  const sent = send({ host: '127.0.0.1', port, path, headers: { Host: 'localhost' }, agent: false }).end()
  const [stream] = await once(sent, 'response')
  stream.setEncoding('utf8')
  const next = async (): Promise<void> => {
    for (;;) if (String((await once(stream, 'data'))[0]).includes('data: changed')) return
  }
  return { next, ended: once(stream, 'close') }
}

async function inFolder(run: (dir: string) => Promise<void>): Promise<void> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'preview-')))
  try {
    await run(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

test('a preview shows uncommitted files, reloads on save and leaves nothing behind', () =>
  inFolder(async (dir) => {
    const docs = join(dir, 'docs')
    await write(docs, {
      '.gitbook.yaml': 'root: ./content/\n',
      'content/SUMMARY.md': '# Summary\n\n* [Start](README.md)\n* [Guide](guide.md)\n* [Draft](draft.md)\n',
      'content/README.md': '# Start\n\nCommitted text.\n',
      'content/guide.md': '# Guide\n\nSee [nothing](missing.md).\n',
      '.gitignore': 'content/secret.md\n',
      'content/secret.md': '# Secret\n',
    })
    await git(docs, ['init', '-q', '-b', 'main'])
    await git(docs, ['add', '-A'])
    await git(docs, ['commit', '-qm', 'Start'])
    await write(docs, { 'content/README.md': '# Start\n\nUncommitted text.\n', 'content/draft.md': '# Draft\n' })
    const before = await folderBytes(docs)
    const preview = await start(dir, docs)
    const { status, body, policy } = await get(preview.address, '/')
    assert.is(status, 200)
    assert.match(body, /Uncommitted text\./)
    assert.not.match(body, /~pdf/, 'no server prints PDFs')
    assert.match(body, /<script src="\/~reload\/script\.js" type="module">/)
    assert.match(policy, /script-src 'self'/)
    assert.not.match(policy, /unsafe-inline/)
    assert.match((await get(preview.address, '/~reload/script.js')).body, /EventSource/)
    assert.is((await get(preview.address, '/draft')).status, 200)
    assert.is((await get(preview.address, '/secret')).status, 404)
    assert.is((await get(preview.address, '/', 'attacker.example')).status, 421)
    await preview.said(/1 problem found/)
    assert.equal(await folderBytes(docs), before)
    const page = await listen(preview.address)
    const reload = page.next()
    await write(docs, { 'content/guide.md': '# Guide\n\nSaved text.\n' })
    await reload
    assert.match((await get(preview.address, '/guide')).body, /Saved text\./)
    await preview.said(/No problems found/)
    assert.is(await preview.end('SIGTERM'), 0)
    await page.ended
    assert.equal(await readdir(preview.temporary), [])
    assert.equal(await readdir(join(dir, 'home')), [])
    await write(docs, { 'content/guide.md': '# Guide\n\nSee [nothing](missing.md).\n' })
    assert.equal(await folderBytes(docs), before)
  }))

test('a preview without Git follows new folders and deleted pages until Ctrl+C', () =>
  inFolder(async (dir) => {
    const docs = join(dir, 'plain')
    await write(docs, {
      'README.md': '# Notes\n',
      'old.md': '# Old\n',
      '.gitignore': 'build/\n',
      'build/x.md': '# X\n',
    })
    const preview = await start(dir, docs)
    assert.is((await get(preview.address, '/old')).status, 200)
    assert.is((await get(preview.address, '/build/x')).status, 404)
    await preview.said(/problem/)
    const page = await listen(preview.address)
    let reload = page.next()
    await write(docs, { 'new/folder/page.md': '# New page\n' })
    await reload
    while ((await get(preview.address, '/new/folder/page')).status !== 200) await page.next()
    reload = page.next()
    await unlink(join(docs, 'old.md'))
    await reload
    assert.is((await get(preview.address, '/old')).status, 404)
    const ended = preview.end('SIGINT')
    assert.is(await preview.end('SIGINT'), 0, 'a second Ctrl+C')
    assert.is(await ended, 0)
    assert.equal(await readdir(preview.temporary), [])
  }))

test('a preview removes the files of a killed preview, and none of a running one', () =>
  inFolder(async (dir) => {
    await write(dir, { 'docs/README.md': '# Start\n' })
    const killed = await start(dir, 'docs')
    await killed.end('SIGKILL')
    const left = await readdir(killed.temporary)
    assert.ok(left.length > 0)
    const first = await start(dir, 'docs')
    const own = await readdir(first.temporary)
    assert.equal(
      own.filter((name) => left.includes(name)),
      [],
    )
    const second = await start(dir, 'docs')
    const both = await readdir(first.temporary)
    assert.ok(own.length > 0 && own.every((name) => both.includes(name)))
    assert.is((await get(first.address, '/')).status, 200)
    for (const preview of [first, second]) assert.is(await preview.end('SIGTERM'), 0)
    assert.equal(await readdir(first.temporary), [])
  }))

test('a preview that ends during its first check prints no failure', () =>
  inFolder(async (dir) => {
    const folder = join(dir, 'docs')
    const pages = Array.from({ length: 300 }, (_, at) => [`p${at}.md`, `# Page ${at}\n\n[x](p${at + 1}.md) *y*\n`])
    await write(folder, Object.fromEntries(pages))
    const preview = await start(dir, folder)
    assert.is(await preview.end('SIGINT'), 0)
    assert.match(preview.output().trim(), /^The preview of \S+ is ready at \S+(?:\n\d+ problems? found\..*)?$/)
  }))

test('a preview that is stopped while it starts leaves nothing behind', () =>
  inFolder(async (dir) => {
    await write(dir, { 'docs/README.md': '# Notes\n', 'tmp/.keep': '' })
    const main = moduleArguments('../../src/main.js', import.meta.url)
    const child = spawn(process.execPath, [...main, 'preview', 'docs', '--port', '0'], {
      cwd: dir,
      env: { PATH: process.env.PATH, TMPDIR: join(dir, 'tmp') },
      stdio: 'ignore',
    })
    while (!(await readdir(join(dir, 'tmp'))).some((name) => name.startsWith('bindery-preview-')))
      await new Promise((resolve) => setImmediate(resolve))
    assert.is(await end(child, 'SIGTERM'), 0)
    assert.equal(await readdir(join(dir, 'tmp')), ['.keep'])
  }))

test.run()
