// Tests requests to an LFS server and the handling of its responses, without a service.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { accessBy, requestBatch, endpointOf, isAskedOfHost, LfsError, type LfsServer } from '../../src/lfs/index.js'
import { createHttpClient } from '../../src/outbound/index.js'
import { startLfs } from '../support/lfs-server.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('lfs: requests and responses', async () => {
  const lfs = await startLfs()
  const api = createServer((request, response) => void lfs.handler(request, response))
  await new Promise<void>((done) => api.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  const http = createHttpClient({ allowPrivateNetworks: true, agent: 'Bindery' })
  const server: LfsServer = {
    http,
    endpoint: { url: `${origin}/docs.git/info/lfs`, origin },
    access: accessBy({ username: 'git', password: 'the-secret-token' }),
    signal: new AbortController().signal,
    now: () => new Date('2026-11-23T12:00:00Z'),
  }
  const close = async (): Promise<void> => {
    await http.close()
    await new Promise((done) => api.close(done).closeAllConnections())
    await lfs.close()
  }
  return { lfs, server, origin, close }
})

const one = () => here.lfs.put(Buffer.from('an object'))
const ask = (objects = [one()]) => requestBatch(here.server, objects, 'refs/heads/main')
const failure = async (batch: typeof here.lfs.batch): Promise<LfsError> => {
  here.lfs.batch = batch
  try {
    await ask()
  } catch (error) {
    assert.instance(error, LfsError)
    assert.not.match((error as Error).message, /the-secret-token|dGhlLXNlY3JldC10b2tlbg/)
    return error as LfsError
  } finally {
    here.lfs.batch = {}
  }
  throw new Error('it did not fail')
}

test('a response without the requested LFS objects is an error', async () => {
  const table: [typeof here.lfs.batch, LfsError['kind'], RegExp, (number | null)?][] = [
    [{ status: 401 }, 'refused', /401: the credential is not accepted/],
    [
      { status: 403, body: '{"message":"no the-secret-token\\nhere"}' },
      'refused',
      /403.*The server's message: no \*\*\* here/,
    ],
    [{ status: 404 }, 'refused', /404: the repository does not use Git LFS/],
    [{ status: 422 }, 'refused', /422.*Refused here/],
    [{ status: 429, headers: { 'retry-after': '90' } }, 'passing', /429: there were too many requests/, 90_000],
    [{ status: 429, headers: { 'retry-after': 'Mon, 23 Nov 2026 12:02:00 GMT' } }, 'passing', /429/, 120_000],
    [{ status: 429, headers: { 'retry-after': '999999' } }, 'passing', /429/, 3_600_000],
    [{ status: 503 }, 'passing', /503\. The request is repeated later/, null],
    [{ status: 507 }, 'refused', /507/],
    [{ status: 509 }, 'refused', /bandwidth/],
    [{ redirect: `${here.lfs.storage}/elsewhere` }, 'refused', /307, a redirect, which is not followed/],
    [{ body: '<html>' }, 'refused', /did not return a list/],
    [{ body: '[]' }, 'refused', /did not return a list/],
    [{ body: '{"transfer":"tus","objects":[]}' }, 'refused', /did not accept the transfer "basic"/],
    [{ body: '{"hash_algo":"sha512","objects":[]}' }, 'refused', /did not accept the hash sha256/],
    [{ body: `{"objects":[${'1,'.repeat(2_000_000)}1]}` }, 'refused', /more than 2097152 bytes/],
  ]
  for (const [batch, kind, message, retry] of table) {
    const error = await failure(batch)
    assert.is(error.kind, kind, error.message)
    assert.match(error.message, message)
    if (retry !== undefined) assert.is(error.retryAfterMs, retry)
  }
})

test('an LFS batch response is read object by object', async () => {
  const asked = { ...one(), size: 9 }
  const answer = async (object: object): Promise<unknown> => {
    here.lfs.batch = {
      body: JSON.stringify({ objects: [{ oid: 'b'.repeat(64), size: 1 }, 5, null, { oid: asked.oid, ...object }] }),
    }
    const all = await ask([asked])
    here.lfs.batch = {}
    assert.is(all.size, 1, 'nothing but what was asked for')
    return all.get(asked.oid)
  }
  const action = (download: object) => ({
    actions: { download: { href: 'http://storage.example.org/x', ...download } },
  })
  for (const [object, kind, message] of [
    [
      { error: { code: 404, message: 'gone' } },
      'refused',
      /does not have the file \(404\)\. The server's message: gone/,
    ],
    [{ error: { code: 410 } }, 'refused', /was removed/],
    [{ error: { code: 409 } }, 'refused', /does not use sha256/],
    [{ error: { code: 422 } }, 'refused', /does not accept/],
    [{ error: { code: 500 } }, 'passing', /rejects the request for the file \(500\)/],
    [{ error: {} }, 'refused', /rejects the request/],
    [{}, 'refused', /did not return a download address/],
    [{ actions: { download: { href: 5 } } }, 'refused', /did not return a download address/],
    [action({ header: { 'bad name': 'x' } }), 'refused', /headers/],
    [action({ header: { 'X-Split': 'a\r\nHost: b' } }), 'refused', /headers/],
    [action({ header: { 'X-Long': 'a'.repeat(10_000) } }), 'refused', /headers/],
    [
      action({ header: Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`x-${n}`, 'y'])) }),
      'refused',
      /headers/,
    ],
  ] as const) {
    const found = await answer(object)
    assert.instance(found, LfsError, JSON.stringify(object))
    assert.is((found as LfsError).kind, kind)
    assert.match((found as LfsError).message, message)
  }
  const now = here.server.now().getTime()
  for (const [download, expected] of [
    [
      { header: { Authorization: 'Basic x', Host: 'internal', 'Content-Length': '3' } },
      { headers: { authorization: 'Basic x' }, expiresAt: null },
    ],
    [{ expires_in: 60 }, { headers: {}, expiresAt: now + 60_000 }],
    [{ expires_at: '2026-11-23T12:00:10Z' }, { headers: {}, expiresAt: now + 10_000 }],
    [
      { expires_in: 60, expires_at: '2026-11-23T12:00:10Z' },
      { headers: {}, expiresAt: now + 60_000 },
    ],
    [{ expires_at: '0001-01-01T00:00:00Z' }, { headers: {}, expiresAt: null }],
    [
      { expires_in: -5, expires_at: 'soon' },
      { headers: {}, expiresAt: null },
    ],
  ] as const)
    assert.equal(
      await answer(action(download)),
      { href: 'http://storage.example.org/x', ...expected },
      JSON.stringify(download),
    )
})

test('a download from an https server never uses http', async () => {
  const object = one()
  const http = {
    ...here.server.http,
    send: async () => ({
      status: 200,
      headers: {},
      url: '',
      body: Buffer.from(
        JSON.stringify({ objects: [{ oid: object.oid, actions: { download: { href: 'http://x.example.org/' } } }] }),
      ),
    }),
  }
  const answer = await requestBatch(
    { ...here.server, http, endpoint: { url: 'https://h/x', origin: 'https://h' } },
    [object],
    'refs/heads/main',
  )
  assert.match((answer.get(object.oid) as LfsError).message, /not https/)
})

test('the LFS endpoint is derived from the repository URL', () => {
  const config = (url: string): string =>
    `# ours\n[core]\n\turl = https://evil.example.org\n[lfs]\n\turl = ${url}\n\tfetchexclude = x\n`
  const at = (remote: string, text: string | null = null): string => endpointOf(remote, text).url
  assert.is(at('https://host.example.org/a/b'), 'https://host.example.org/a/b.git/info/lfs')
  assert.is(at('https://host.example.org/a/b.git'), 'https://host.example.org/a/b.git/info/lfs')
  assert.is(at('https://host.example.org/a/b.git/'), 'https://host.example.org/a/b.git/info/lfs')
  assert.is(
    at('https://host.example.org:8443/b.git', config('https://host.example.org:8443/lfs/b/')),
    'https://host.example.org:8443/lfs/b',
  )
  assert.is(
    at('https://host.example.org/b.git', config('"https://host.example.org/q"  # here')),
    'https://host.example.org/q',
  )
  assert.is(
    at('https://host.example.org/b.git', '[lfs "https://evil.example.org"]\n\turl = https://evil.example.org/\n'),
    'https://host.example.org/b.git/info/lfs',
  )
  assert.is(
    at('https://host.example.org/b.git', '[LFS]\nURL=https://HOST.example.org/q\n'),
    'https://host.example.org/q',
  )
  assert.is(endpointOf('https://host.example.org/b.git', null).origin, 'https://host.example.org')
  for (const url of [
    'https://evil.example.org/lfs',
    'https://host.example.org:444/lfs',
    'http://host.example.org/lfs',
    'https://host.example.org.evil.org/lfs',
    'https://host.example.org@evil.example.org/lfs',
    'https://user:pass@host.example.org/lfs',
    'https://host.example.org/lfs?x=y',
    'ssh://host.example.org/lfs',
    'file:///etc',
    'http://169.254.169.254/',
    'nothing',
  ])
    assert.throws(() => at('https://host.example.org/b.git', config(url)), /\.lfsconfig/, url)
  for (const remote of ['git@host.example.org:a/b.git', 'ssh://git@host.example.org/a/b.git']) {
    assert.ok(isAskedOfHost(remote, null), remote)
    assert.ok(isAskedOfHost(remote, '[core]\n\tbare = true\n'), remote)
    assert.throws(() => isAskedOfHost(remote, config('https://host.example.org/lfs')), /ssh remote.*https/, remote)
  }
  for (const remote of ['https://host.example.org/b.git', 'file:///srv/docs.git'])
    assert.not(isAskedOfHost(remote, null), remote)
  assert.throws(() => at('file:///srv/docs.git'), /https/)
})

test.run()
