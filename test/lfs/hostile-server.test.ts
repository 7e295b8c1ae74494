// Tests hostile responses and downloads of an LFS server, without a service.
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import {
  accessBy,
  requestBatch,
  downloadObject,
  endpointOf,
  LfsError,
  type LfsServer,
  openLfsFiles,
} from '../../src/lfs/index.js'
import { createHttpClient } from '../../src/outbound/index.js'
import { costOf } from '../support/main-thread.js'
import { suiteWith } from '../support/suite.js'

type Answer = (request: IncomingMessage, response: ServerResponse) => void
const OID = createHash('sha256').update('bytes').digest('hex')
const EMPTY = createHash('sha256').update('').digest('hex')
const MIB = 1024 * 1024

const [test, here] = await suiteWith('lfs: a hostile server', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-lfs-'))
  const answers: { now: Answer } = { now: (_, response) => response.end() }
  const asked: IncomingMessage[] = []
  const listen = async () => {
    const made = createServer((request, response) => {
      asked.push(request)
      answers.now(request, response)
    })
    await new Promise<void>((done) => made.listen(0, '127.0.0.1', done))
    return { made, origin: `http://127.0.0.1:${(made.address() as AddressInfo).port}` }
  }
  const [remote, storage] = await Promise.all([listen(), listen()])
  const http = createHttpClient({ allowPrivateNetworks: ['127.0.0.0/8'], agent: 'Bindery' })
  const server: LfsServer = {
    http,
    endpoint: { url: `${remote.origin}/docs.git/info/lfs`, origin: remote.origin },
    access: accessBy({ username: 'git', password: 'the-secret-token' }),
    signal: new AbortController().signal,
    now: () => new Date('2026-11-23T12:00:00Z'),
  }
  const files = await openLfsFiles(dir)
  const close = async (): Promise<void> => {
    await http.close()
    for (const { made } of [remote, storage]) await new Promise((done) => made.close(done).closeAllConnections())
    await rm(dir, { recursive: true, force: true })
  }
  return { dir, answers, asked, server, files, remote: remote.origin, storage: storage.origin, close }
})

/** Returns the error of a download, or null if the object was stored. */
async function download(
  answer: Answer,
  object = { oid: OID, size: 5 },
  action: { href?: string; headers?: Record<string, string> } = {},
) {
  here.answers.now = answer
  here.asked.length = 0
  const whole = { href: `${here.storage}/object`, headers: {}, expiresAt: null, ...action }
  const error = await downloadObject(here.server, here.files, object, whole).then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.equal(await readdir(join(here.dir, 'drafts')), [], 'no draft is left')
  if (error === null) return null
  assert.instance(error, LfsError, String(error))
  return error as LfsError
}

/** Sends bytes without end and counts them. */
const endless = (
  status: number,
  headers: Record<string, string> = {},
  sent = { bytes: 0 },
): Answer & { sent: { bytes: number } } =>
  Object.assign(
    (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(status, headers)
      const piece = Buffer.alloc(65_536)
      const more = (): void => {
        if (response.destroyed) return
        sent.bytes += piece.length
        response.write(piece, () => setImmediate(more))
      }
      more()
    },
    { sent },
  )

test('the body of an error response is not read to the size of the object', async () => {
  for (const status of [404, 500, 302, 403]) {
    const answer = endless(status)
    const error = await download(answer, { oid: OID, size: 4096 * MIB })
    assert.match(error?.message ?? '', new RegExp(String(status)))
    assert.ok(answer.sent.bytes < 32 * MIB, `${status}: ${answer.sent.bytes} bytes were sent`)
  }
})

test('the size of a compressed LFS response is its decompressed size', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * MIB))
  const compressed: Answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  assert.match((await download(compressed))?.message ?? '', /more than the 5 bytes/)
  here.answers.now = compressed
  await requestBatch(here.server, [{ oid: OID, size: 5 }], 'refs/heads/main').then(
    () => assert.unreachable(),
    (error) => assert.match(error.message, /more than 2097152 bytes/),
  )
  const honest: Answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('bytes'))
  assert.is(await download(honest), null)
  assert.match(
    (await download((_, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('bytes')))?.message ??
      '',
    /encoding/,
  )
})

test('a download with a missing, wrong, zero or excessive length is rejected', async () => {
  const send =
    (text: string, headers: Record<string, string> = {}): Answer =>
    (_, response) =>
      response.writeHead(200, headers).end(text)
  assert.is(await download(send('bytes')), null)
  assert.match((await download(send('byte')))?.message ?? '', /sent 4 bytes, but the pointer states 5/)
  assert.match((await download(send('bytes and more')))?.message ?? '', /more than the 5 bytes/)
  assert.match(
    (await download(send('<html>not this</html>'), { oid: OID, size: 21 }))?.message ?? '',
    /hash of the downloaded file differs/,
  )
  assert.is(await download(send(''), { oid: EMPTY, size: 0 }), null)
  assert.match((await download(send('x'), { oid: EMPTY, size: 0 }))?.message ?? '', /more than the 0 bytes/)
  assert.match((await download(send(''), { oid: OID, size: 0 }))?.message ?? '', /hash of the downloaded file differs/)
  assert.match(
    (await download(send('bytes'), { oid: OID, size: Number.MAX_SAFE_INTEGER }))?.message ?? '',
    /sent 5 bytes/,
  )
  const lying: Answer = (_, response) => {
    response.writeHead(200, { 'content-length': '9007199254740993' }).write('bytes')
    setTimeout(() => response.destroy(), 20)
  }
  assert.ok(await download(lying))
  const broken: Answer = (_, response) => {
    response.writeHead(200, { 'content-length': '5' }).write('byt')
    setTimeout(() => response.destroy(), 20)
  }
  assert.is((await download(broken))?.kind, 'passing')
})

test('LFS redirects are limited, and other hosts get neither the credential nor headers', async () => {
  const seen = () =>
    here.asked.map(({ headers }) => [headers.authorization !== undefined, headers['x-key'] !== undefined])
  const to =
    (location: string): Answer =>
    (request, response) =>
      request.url === '/end' ? response.end('bytes') : response.writeHead(302, { location }).end()
  const headers = { 'x-key': 'of the action', authorization: 'Basic of-the-action' }
  assert.is(await download(to(`${here.remote}/end`), undefined, { headers }), null)
  assert.equal(seen(), [
    [true, true],
    [false, false],
  ])
  assert.is(await download(to(`${here.storage}/end`), undefined, { href: `${here.remote}/object` }), null)
  assert.equal(seen(), [
    [true, false],
    [false, false],
  ])
  assert.match((await download(to('/again')))?.message ?? '', /redirected more than 3 times/)
  assert.is(here.asked.length, 4)
  for (const [location, message] of [
    ['file:///etc/passwd', /http/],
    ['http://169.254.169.254/latest/meta-data', /private network|not allowed|refused/],
    ['http://[::1]/x', /private network/],
    ['http://0.0.0.0/x', /private network/],
    ['http://2130706433.nip/x', /./],
    ['//', /./],
    ['gopher://127.0.0.1/x', /http/],
  ] as const)
    assert.match((await download(to(location)))?.message ?? '', message, location)
})

test('an LFS action may name only allowed addresses', async () => {
  for (const href of [
    'file:///etc/passwd',
    'ftp://x/y',
    'http://10.1.2.3/x',
    'http://[fd00::1]/x',
    'http://169.254.169.254/x',
    'relative/path',
    '',
    'http://',
    '\u0000',
  ])
    assert.ok(await download((_, response) => response.end('bytes'), undefined, { href }), href)
  assert.is(here.asked.length, 0)
})

test('false batch responses of an LFS server are rejected', async () => {
  const other = 'b'.repeat(64)
  const ask = async (body: string, objects = [{ oid: OID, size: 5 }]) => {
    here.answers.now = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(body)
    return requestBatch(here.server, objects, 'refs/heads/main').catch((error: unknown) => error)
  }
  const action = { actions: { download: { href: 'http://storage.example.org/x' } } }
  // The response lists one object twice, once with false data. The first entry counts, and the hash verifies the bytes.
  const twice = (await ask(
    JSON.stringify({
      objects: [
        { oid: OID, size: -1, ...action },
        { oid: OID, size: 5, error: { code: 404 } },
      ],
    }),
  )) as Map<string, unknown>
  assert.equal([...twice.keys()], [OID])
  // Objects that were not requested are ignored, however many there are.
  const many = Array.from({ length: 9_000 }, (_, n) => ({
    oid: n.toString(16).padStart(64, '0'),
    size: 2 ** 53,
    ...action,
  }))
  const found = (await ask(JSON.stringify({ objects: [...many, { oid: OID, size: 5, ...action }] }))) as Map<
    string,
    unknown
  >
  assert.equal([...found.keys()], [OID])
  for (const body of [
    '',
    'null',
    '5',
    '"x"',
    '{"objects":{}}',
    '<!doctype html>',
    `${'['.repeat(500_000)}`,
    `{"objects":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
    '{"__proto__":{"objects":[]}}',
  ]) {
    const answer = await ask(body)
    const one = answer instanceof Map ? answer.get(OID) : answer
    assert.instance(one, LfsError, body.slice(0, 40))
  }
  for (const object of [
    { oid: OID, actions: null },
    { oid: OID, actions: { download: null } },
    { oid: OID, actions: [] },
    { oid: OID.toUpperCase(), ...action },
    { oid: { toString: OID } },
    { oid: [OID], ...action },
    { oid: other, ...action },
    { oid: OID, error: { code: 'NaN', message: { deep: 1 } } },
  ]) {
    const answer = (await ask(JSON.stringify({ objects: [object] }))) as Map<string, unknown>
    assert.instance(answer.get(OID), LfsError, JSON.stringify(object))
  }
  const proto = (await ask(
    `{"objects":[{"oid":"${OID}","actions":{"download":{"href":"http://x.example/","header":{"__proto__":"x"}}}}]}`,
  )) as Map<string, { headers: object }>
  assert.equal(Object.getPrototypeOf(proto.get(OID)?.headers ?? {}), Object.prototype)
})

test('a secret that the server repeats in its response is not in any message', async () => {
  const basic = Buffer.from('git:the-secret-token').toString('base64')
  for (const message of [
    'the-secret-token',
    `Basic ${basic}`,
    `${' '.repeat(790)}the-secret-token`,
    `${'x'.repeat(195)}the-secret-token`,
  ]) {
    here.answers.now = (_, response) => response.writeHead(403).end(JSON.stringify({ message }))
    const error = (await requestBatch(here.server, [{ oid: OID, size: 5 }], 'main').catch(
      (reason: unknown) => reason,
    )) as Error
    assert.not.match(error.message, /the-secret|dGhlLXNlY3Jld|Z2l0On/, message.trim())
  }
})

test('an .lfsconfig address with the maximum number of spaces is parsed in normal time', async () => {
  const spaces = ' '.repeat(16_000)
  const read = (value: string) => endpointOf('https://example.org/docs.git', `[lfs]\n\turl = ${value}\n`).url
  const { ms } = await costOf(async () => {
    assert.ok(read(`https://example.org/x${spaces}x`).endsWith('%20x'))
    assert.is(read(`https://example.org/own.git/info/lfs${spaces}# a remark`), 'https://example.org/own.git/info/lfs')
  })
  assert.ok(ms < 250, `${ms} ms`)
})

test.run()
