import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { Clone, newSpace } from './fixture.js'
import { type Answer, basic, FLUSH, pkt, send, serving } from './raw.js'

const MIB = 1024 * 1024
const logged: string[] = []
const log = createLog({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } })
const [test, here] = await suiteWith('raw fetches', () =>
  startService({ env: { BINDERY_PACK_LIMIT_BYTES: String(MIB) }, overrides: { log } }),
)

const space = await newSpace(here)
const reader = await here.caller('read')
const repository = join(here.dir, 'repos', `${space}.git`)
// A user of plain Git: a file larger than the socket buffers, and a commit that only a ref of the service names.
const large = await git(repository, ['hash-object', '-w', '--stdin'], randomBytes(24 * MIB))
const tree = await git(
  repository,
  ['mktree'],
  `${await git(repository, ['ls-tree', 'main'])}\n100644 blob ${large}\tlarge.bin\n`,
)
const main = await git(repository, ['commit-tree', tree, '-p', 'main', '-m', 'Large'])
await git(repository, ['update-ref', 'refs/heads/main', main])
const hidden = await git(repository, ['commit-tree', tree, '-m', 'Hidden'])
await git(repository, ['update-ref', 'refs/bindery/hidden/x', hidden])

const path = `/git/${space}.git/git-upload-pack`
const headers = { 'Content-Type': 'application/x-git-upload-pack-request', Authorization: basic('git', reader.token) }
const fetchIt = (body: Buffer, more: Record<string, string> = {}): Promise<Answer> =>
  send(here.url + path, { headers: { ...headers, 'Git-Protocol': 'version=2', ...more }, body })
const DELIMITER = Buffer.from('0001')
const asked = (command: string, ...lines: string[]) =>
  Buffer.concat([pkt(`command=${command}\n`), DELIMITER, ...lines.map((line) => pkt(`${line}\n`)), FLUSH])

/** Waits until no Git process serves a client any more. Fails only if one stays for the maximum duration of a test. */
async function allEnded(): Promise<void> {
  for (let tries = 0; serving().length > 0; tries++) {
    if (tries > 500) assert.equal(serving(), [])
    await wait(50)
  }
}

test('malformed requests end with an error or nothing, and reveal nothing hidden', async () => {
  const want = `want ${main}`
  const table: [name: string, body: Buffer, headers?: Record<string, string>][] = [
    ['nothing', Buffer.alloc(0)],
    ['no pkt-line', Buffer.from('zzzz')],
    ['half a line', Buffer.from('0100command=fetch')],
    ['an unknown command', asked('erase-all')],
    ['a command with an option of a shell', asked('fetch;id', want)],
    ['an unknown want', asked('fetch', `want ${'d'.repeat(40)}`, 'done')],
    ['a want that is no ID', asked('fetch', 'want main', 'done')],
    ['a hidden ref', asked('fetch', 'want-ref refs/bindery/hidden/x', 'done')],
    ['a filter that is none', asked('fetch', want, 'filter sparse:path=../../etc/passwd', 'done')],
    ['a filter of a tree', asked('fetch', want, 'filter sparse:oid=main', 'done')],
    ['negative depth', asked('fetch', want, 'deepen -1', 'done')],
    ['two depths', asked('fetch', want, 'deepen 1', 'deepen-since 1', 'done')],
    [
      'wants of the first version, hidden',
      Buffer.concat([pkt(`want ${hidden} no-progress\n`), FLUSH, pkt('done\n')]),
      { 'Git-Protocol': 'version=0' },
    ],
    ['a protocol that is none', asked('fetch', want, 'done'), { 'Git-Protocol': 'version=99:$(id)' }],
    ['gzip of gzip', gzipSync(gzipSync(asked('ls-refs'))), { 'Content-Encoding': 'gzip' }],
  ]
  const wrong: string[] = []
  for (const [name, body, more] of table) {
    const { status, text } = await fetchIt(body, more)
    if (process.env.TEST_TELL) console.log(`${name}: ${status} ${text.slice(0, 200)}`)
    if (status >= 500 || text.includes('PACK') || text.includes('refs/bindery/hidden/x ') || text.includes(here.dir))
      wrong.push(`${name}: ${status} ${text.slice(0, 300)}`)
  }
  assert.equal(wrong, [])
  for (const lines of [
    [],
    ['ref-prefix refs/bindery/'],
    ['ref-prefix '],
    ['peel', 'symrefs', 'unborn', 'ref-prefix refs/'],
  ]) {
    const { status, text } = await fetchIt(asked('ls-refs', ...lines))
    assert.is(status, 200)
    assert.not.match(text, hidden)
    assert.not.match(text, 'refs/bindery')
  }
  await allEnded()
})

test('a filter that would visit a folder once for each of its paths is rejected', async () => {
  const file = await git(repository, ['hash-object', '-w', '--stdin'], 'x')
  let folder = await git(repository, ['mktree'], `100644 blob ${file}\tfile\n`)
  // 10 to the power of 12 paths in 14 objects.
  for (let depth = 0; depth < 12; depth++) {
    const names = Array.from({ length: 10 }, (_, n) => `040000 tree ${folder}\t${n}\n`)
    folder = await git(repository, ['mktree'], names.join(''))
  }
  const bomb = await git(repository, ['commit-tree', folder, '-m', 'Many paths'])
  for (const filter of [`sparse:oid=${file}`, 'combine:tree:20+blob:none', `combine:sparse:oid=${file}+blob:none`]) {
    const { text } = await fetchIt(asked('fetch', `want ${bomb}`, `filter ${filter}`, 'done'))
    assert.match(text, /filter '(combine|sparse:oid)' not supported/, filter)
  }
  for (const filter of ['blob:none', 'tree:20', 'blob:limit=1k'])
    assert.match((await fetchIt(asked('fetch', `want ${bomb}`, `filter ${filter}`, 'done'))).text, 'PACK', filter)
  await allEnded()
})

test('requests that are too large or of another type are rejected', async () => {
  const have = pkt(`have ${'e'.repeat(40)}\n`)
  const haves = Buffer.concat([
    pkt('command=fetch\n'),
    DELIMITER,
    pkt(`want ${main}\n`),
    ...Array.from({ length: (9 * MIB) / have.length }, () => have),
    FLUSH,
  ])
  assert.is((await fetchIt(gzipSync(haves), { 'Content-Encoding': 'gzip' })).status, 413)
  assert.is((await fetchIt(gzipSync(Buffer.alloc(32 * MIB)), { 'Content-Encoding': 'gzip' })).status, 413)
  assert.is((await fetchIt(asked('ls-refs'), { 'Content-Type': 'text/plain' })).status, 415)
  assert.is((await fetchIt(asked('ls-refs'), { 'Content-Encoding': 'br' })).status, 415)
  await allEnded()
})

test('readers who stop reading and disconnect leave no process behind', async () => {
  const body = asked('fetch', `want ${main}`, 'done')
  const address = new URL(here.url)
  const leave = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(address.port), address.hostname)
      socket.on('error', reject)
      const lines = [
        `POST ${path} HTTP/1.1`,
        `Host: ${address.host}`,
        `Content-Length: ${body.length}`,
        'Git-Protocol: version=2',
      ]
      socket.write(
        [...lines, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n'),
      )
      socket.write(body)
      // The headers have arrived: the process is running, and its output exceeds the socket buffers.
      socket.once('data', () => {
        socket.pause()
        resolve(wait(20).then(() => void socket.destroy()))
      })
    })
  await Promise.all([1, 2, 3, 4, 5, 6].map(leave))
  await allEnded()
  // All slots are free again: one token makes more fetches than it has slots.
  const answers = await Promise.all(Array.from({ length: 6 }, () => fetchIt(asked('ls-refs'))))
  assert.equal(
    answers.map(({ status }) => status),
    Array.from({ length: 6 }, () => 200),
  )
})

test('Git shows its user why a large push is rejected', async () => {
  const other = await newSpace(here)
  const writer = await here.caller('edit')
  const clone = await Clone.of(here, other, writer)
  await clone.commit({ 'assets/noise.txt': randomBytes(3 * MIB).toString('base64') }, 'Noise')
  const table: [string, string][] = [
    ['refs/for/main', 'Your push exceeds the limit of 1048576 bytes'],
    ['refs/tags/v1', 'tags are not supported'],
    ['refs/heads/change-requests/7', 'Your push exceeds the limit of 1048576 bytes'],
  ]
  for (const [ref, says] of table) {
    const seen = await clone.see('push', 'origin', `HEAD:${ref}`)
    assert.is(seen.code, 1, seen.text)
    assert.ok(seen.text.includes(says), `${ref}: ${seen.text}`)
  }
  const said = logged.join('')
  for (const secret of [writer.token, reader.token, headers.Authorization.slice(6)])
    assert.not.ok(said.includes(secret), 'a token was logged')
})

test.run()
