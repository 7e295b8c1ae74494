import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('writing: files from URLs')
const LIMIT = 2048
let here: TestService
let space: string
let server: Server
let base: string
/** Requests that wait until the test releases them. */
let held: (() => void)[] = []
let heldOne: (() => void) | null = null

test.before(async () => {
  server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://x')
    const send = (type: string, body: string | Buffer, status = 200) =>
      res.writeHead(status, { 'content-type': type }).end(body)
    if (pathname === '/picture') return send('image/png', Buffer.from([1, 2, 3]))
    if (pathname === '/page') return send('text/html; charset=utf-8', '<h1>Sign in</h1>')
    if (pathname === '/gone') return send('text/plain', 'gone', 410)
    if (pathname === '/big') return send('application/zip', Buffer.alloc(LIMIT + 1))
    if (pathname === '/almost') return send('application/zip', Buffer.alloc(LIMIT))
    if (pathname === '/inside')
      return void res
        .writeHead(302, { location: `http://127.0.0.2:${(server.address() as AddressInfo).port}/picture` })
        .end()
    if (pathname === '/held') {
      held.push(() => send('text/plain', 'at last'))
      heldOne?.()
      return
    }
    send('text/plain', 'text')
  })
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  here = await startService({
    env: { BINDERY_FILE_LIMIT_BYTES: String(LIMIT), BINDERY_ALLOW_PRIVATE_NETWORKS: '127.0.0.1' },
  })
  space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201)).body.id
})
test.after(async () => {
  server.closeAllConnections()
  server.close()
  await here.close()
})

const insert = (...files: object[]) => ({ operation: 'insert_files', files })
const page = { operation: 'insert_page', title: 'Page', document: { markdown: 'Text.' } }
const write = (...changes: object[]) => here.admin.call('post', `/v1/spaces/${space}/content`, { changes })
const revision = async (): Promise<string> =>
  (await here.admin.call('get', `/v1/spaces/${space}`).expect(200)).body.revision

test('fetched files get a name and a ref that the same batch can link to', async () => {
  const linked = { operation: 'insert_page', title: 'With picture', document: { markdown: '![](/files/logo)\n' } }
  const { body } = await write(
    insert({ name: 'logo', ref: 'logo', url: `${base}/picture` }, { name: 'notes.txt', url: `${base}/text` }),
    linked,
  ).expect(200)
  assert.equal(
    body.insertedFiles.map((one: { name: string; path: string; ref?: string }) => [one.name, one.path, one.ref]),
    [
      ['logo.png', '.gitbook/assets/logo.png', 'logo'],
      ['notes.txt', '.gitbook/assets/notes.txt', undefined],
    ],
  )
  const { body: read } = await here.admin
    .call('get', `/v1/spaces/${space}/content/page/${body.changes[0].page}?format=markdown`)
    .expect(200)
  assert.match(JSON.stringify(read), /\.gitbook\/assets\/logo\.png/)
  const { body: files } = await here.admin.call('get', `/v1/spaces/${space}/content/files`).expect(200)
  const picture = files.items.find((one: { name: string }) => one.name === 'logo.png')
  assert.equal([picture.contentType, picture.size], ['image/png', 3])
})

test('a failed fetch is a 400 with the file and the reason, and nothing is changed', async () => {
  const before = await revision()
  const cases: [url: string, message: RegExp][] = [
    [`${base}/gone`, /status 410/],
    [`${base}/big`, /more than 2048 bytes/],
    [`${base}/page`, /web page/],
    [`${base}/inside`, /private network/],
    ['http://127.0.0.3/', /private network/],
    ['http://[::1]/', /private network/],
    ['ftp://docs.example/x', /http and https/],
    ['http://me:secret@127.0.0.1/', /user name or password/],
    ['http://127.0.0.1:1/', /cannot be reached/],
  ]
  for (const [url, message] of cases) {
    const { body } = await write(page, insert({ name: 'a.zip', base64: '' }, { name: 'b.zip', url })).expect(400)
    assert.is(body.error.details[0].path, '/changes/1/files/1/url')
    assert.match(body.error.message, /^Change 1 cannot be applied: the file b\.zip/)
    assert.match(body.error.message, message)
    assert.not.match(body.error.message, /secret/)
  }
  const both = await write(insert({ name: 'a.zip', base64: '', url: `${base}/text` })).expect(400)
  assert.match(both.body.error.message, /exactly one of base64, url and part/)
  assert.is(await revision(), before)
})

test('the files of one request share one limit', async () => {
  const files = Array.from({ length: 5 }, (_, i) => ({ name: `${i}.zip`, url: `${base}/almost` }))
  await write(insert(...files.slice(0, 4))).expect(200)
  assert.match((await write(insert(...files)).expect(400)).body.error.message, /8192 bytes in total/)
})

test('a slow server does not delay other writes of the space', async () => {
  held = []
  const asked = new Promise<void>((done) => (heldOne = done))
  const slow = write(insert({ name: 'slow.txt', url: `${base}/held` })).then((response) => response)
  await asked
  await write(page).expect(200)
  held[0]?.()
  assert.is((await slow).status, 200)
})

test('a caller without write permission cannot make the service fetch anything', async () => {
  held = []
  const changes = { changes: [insert({ name: 'x.txt', url: `${base}/held` })] }
  const reader = await here.caller('read')
  await reader.call('post', `/v1/spaces/${space}/content`, changes).expect(403)
  await here.admin.call('patch', `/v1/spaces/${space}`, { editMode: 'locked' }).expect(200)
  await here.admin.call('post', `/v1/spaces/${space}/content`, changes).expect(423)
  assert.is(held.length, 0)
})

test.run()
