import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { MAIN } from '../../src/domain/context/refs.js'
import { sweepLfsFiles } from '../../src/domain/lfs/upkeep.js'
import { Pictures } from '../../src/domain/pdf/pictures.js'
import { maintainRepository } from '../../src/domain/upkeep/housekeeping.js'
import { purgeSpace } from '../../src/domain/upkeep/purge-space.js'
import { lfsObjects } from '../../src/model/index.js'
import { POLL_MS, QUIET_MS } from '../connections/connected.js'
import { git } from '../support/hermetic-git.js'
import { type ObjectBehaviour, pointerOf } from '../support/lfs-server.js'
import { StoredFiles } from '../support/stored-files.js'
import { removeConnections } from '../support/remove-connections.js'
import { suiteWith } from '../support/suite.js'
import { AUTH, credential, startConnectedLfs } from './connected.js'

/** Polls are spread out: the next one starts within this time. */
const A_POLL = POLL_MS * 1.2

const [test, here] = await suiteWith('lfs: fetched objects', () => startConnectedLfs())
test.afterEach(() => removeConnections(here.service))

/** A PNG header of 3 × 2 pixels, followed by noise. */
const picture = (): Buffer =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d494844520000000300000002', 'hex'), randomBytes(2000)])

const PAGE = '# Home\n\n![](.gitbook/assets/a.png)\n'
const filesOf = async (space: string, path = 'content') =>
  (await here.service.admin.call('get', `/v1/spaces/${space}/${path}/files?metadata=true`).expect(200)).body.items
/** The number of objects in each request for a repository. Requests for other spaces may run at the same time. */
const asksOf = ({ url }: { url: string }): number[] =>
  here.lfs.batches
    .filter(({ path }) => url.endsWith(path.replace('/info/lfs/objects/batch', '')))
    .map(({ body }) => (body as unknown as { objects: unknown[] }).objects.length)
const stored = new StoredFiles(here.service.dir, 'lfs')
const drafts = (): Promise<string[]> => readdir(join(here.service.dir, 'data', 'lfs', 'drafts'))
const download = (url: string) =>
  request(url)
    .get('')
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => done(null, Buffer.concat(chunks)))
    })

test('an LFS pointer stays in Git while the service serves its file', async () => {
  const bytes = picture()
  const { oid, size, pointer } = here.lfs.put(bytes)
  const theirs = await here.repository({
    'README.md': PAGE,
    '.gitbook/assets/a.png': pointer,
    '.gitattributes': '*.png filter=lfs diff=lfs merge=lfs -text\n',
  })
  const space = await here.space()
  await here.connect(space, { url: theirs.url, credential })
  const [file] = await filesOf(space)
  assert.equal([file.size, file.dimensions, file.lfs], [size, { width: 3, height: 2 }, { oid, size, state: 'present' }])
  const whole = await download(file.downloadURL).expect(200)
  assert.ok(whole.body.equals(bytes))
  assert.is(whole.headers['content-type'], 'image/png')
  const part = await download(file.downloadURL).set('Range', 'bytes=8-15').expect(206)
  assert.ok(part.body.equals(bytes.subarray(8, 16)))
  assert.is((await here.files(space))['.gitbook/assets/a.png'], pointer.trim())
  const [batch] = here.lfs.batches
  assert.is(batch?.accept, 'application/vnd.git-lfs+json')
  assert.equal(batch?.body, {
    operation: 'download',
    transfers: ['basic'],
    ref: { name: 'refs/heads/main' },
    objects: [{ oid, size }],
    hash_algo: 'sha256',
  } as never)
  assert.ok(batch?.authorization?.startsWith('Basic '))
  assert.equal(
    here.lfs.downloads.map(({ authorization }) => authorization),
    [undefined],
    'the credential of the remote is not sent to another origin',
  )
  assert.equal((await here.service.admin.call('get', `/v1/spaces/${space}/content`).expect(200)).body.diagnostics, [])
})

const OTHER = 'f'.repeat(64)

/** A space with one repository whose pictures are pointers, by name. */
async function connected(pointers: Record<string, string>, more: Record<string, string> = {}) {
  const assets = Object.fromEntries(
    Object.entries(pointers).map(([name, pointer]) => [`.gitbook/assets/${name}`, pointer]),
  )
  const theirs = await here.repository({ 'README.md': '# Home\n', ...assets, ...more })
  const space = await here.space()
  const connection = await here.connect(space, { url: theirs.url, credential })
  const named = async (): Promise<
    Record<string, { downloadURL: string; size: number; lfs?: { state: string; problem?: string } }>
  > => Object.fromEntries((await filesOf(space)).map((file: { name: string }) => [file.name, file]))
  return { theirs, space, connection, named }
}

test('an object that cannot be fetched is reported with its file and reason', async () => {
  const table: [string, ObjectBehaviour, RegExp][] = [
    ['404.png', { error: { code: 404, message: 'Object does not exist' } }, /does not have the file \(404\)/],
    ['410.png', { error: { code: 410, message: 'gone' } }, /was removed/],
    ['422.png', { error: { code: 422, message: 'odd' } }, /does not accept/],
    ['none.png', { noAction: true }, /did not return a download address/],
    ['bytes.png', { bytes: Buffer.alloc(2024) }, /hash of the downloaded file differs/],
    ['short.png', { bytes: Buffer.from('short') }, /sent 5 bytes, but the pointer states 2024/],
    ['endless.png', { endless: true }, /more than the 2024 bytes/],
    ['private.png', { redirect: 'http://10.0.0.1/x' }, /10\.0\.0\.1 is in a private network/],
    ['inside.png', { href: 'http://10.0.0.1/x' }, /10\.0\.0\.1 is in a private network/],
    ['file.png', { href: 'file:///etc/passwd' }, /Only http and https/],
    ['gone.png', { status: 404 }, /failed with status 404/],
    ['later.png', { status: 503 }, /failed with status 503\. It is repeated later/],
    ['refused.png', { status: 403 }, /failed with status 403/],
  ]
  const pointers: Record<string, string> = {}
  for (const [name, how] of table) {
    const { oid, pointer } = here.lfs.put(picture())
    pointers[name] = pointer
    here.lfs.objects.set(oid, how)
  }
  const stale = here.lfs.put(picture())
  here.lfs.objects.set(stale.oid, { staleOnce: true })
  const good = here.lfs.put(picture())
  const twice = pointerOf(good.oid, 5)
  const { space, theirs, connection, named } = await connected({
    ...pointers,
    'stale.png': stale.pointer,
    'good.png': good.pointer,
    'wrong-size.png': twice,
  })
  assert.is((await here.get(connection.base)).lastRun?.state, 'success', 'the import does not fail')
  const files = await named()
  const { diagnostics } = (await here.service.admin.call('get', `/v1/spaces/${space}/content`).expect(200)).body
  for (const [name, , message] of [...table, ['wrong-size.png', {}, /bytes/] as const]) {
    assert.is(files[name]?.lfs?.state, 'failed', name)
    assert.match(files[name]?.lfs?.problem ?? '', message, name)
    const told = diagnostics.find(({ file }: { file?: string }) => file === `.gitbook/assets/${name}`)
    assert.is(told?.code, 'lfs-object', name)
    assert.match(told.message, message)
    assert.match(
      (await download(files[name]?.downloadURL as string).expect(404)).body.toString(),
      /stored in Git LFS and is not available here/,
    )
  }
  for (const name of ['stale.png', 'good.png']) assert.is(files[name]?.lfs?.problem, undefined, name)
  for (const name of ['stale.png', 'good.png']) await download(files[name]?.downloadURL as string).expect(200)
  assert.equal(await drafts(), [], 'nothing half written is left')
  // Temporary failures are retried after a minute. Rejections are not retried.
  for (const [oid, how] of here.lfs.objects) if (how.status === 503) here.lfs.objects.delete(oid)
  const asked = asksOf(theirs)
  const tag = await here.service.admin.call('get', `/v1/spaces/${space}/content/files`).expect(200)
  await here.forward(61_000)
  assert.is((await named())['later.png']?.lfs?.state, 'present')
  assert.equal(asksOf(theirs), [...asked, 1])
  await here.service.admin
    .call('get', `/v1/spaces/${space}/content/files`)
    .set('If-None-Match', tag.headers.etag as string)
    .expect(200)
})

test('a pause that the server requests is respected, and a closed server is reported', async () => {
  const { pointer } = here.lfs.put(picture())
  here.lfs.batch = { status: 429, headers: { 'retry-after': '600' } }
  const { named, theirs, connection } = await connected({ 'a.png': pointer })
  assert.match((await named())['a.png']?.lfs?.problem ?? '', /429/)
  assert.equal(asksOf(theirs), [1])
  await here.forward(590_000)
  assert.equal(asksOf(theirs), [1])
  here.lfs.batch = { status: 401 }
  await here.forward(11_000)
  assert.equal(asksOf(theirs), [1, 1])
  assert.match((await named())['a.png']?.lfs?.problem ?? '', /credential is not accepted/)
  here.lfs.batch = {}
  await here.forward(A_POLL)
  assert.equal(asksOf(theirs), [1, 1], 'it is not asked again by itself')
  await here.service.admin
    .call('post', `${connection.base}/run`, {})
    .expect((response) => assert.ok(response.status < 300))
  await here.idle()
  assert.is((await named())['a.png']?.lfs?.state, 'present', 'a manual run is a retry')
})

test("an .lfsconfig is used only if its address is on the remote's host", async () => {
  const { pointer } = here.lfs.put(picture())
  const refused = await connected({ 'a.png': pointer }, { '.lfsconfig': `[lfs]\n\turl = ${here.lfs.storage}/lfs\n` })
  assert.match(
    (await refused.named())['a.png']?.lfs?.problem ?? '',
    /\.lfsconfig names a server on 127\.0\.0\.1:\d+, which is not the host/,
  )
  assert.equal(asksOf(refused.theirs), [])
  const same = await connected(
    { 'a.png': pointer },
    { '.lfsconfig': `[lfs]\n\turl = ${here.remotes.url}/own.git/info/lfs\n` },
  )
  assert.is((await same.named())['a.png']?.lfs?.state, 'present')
  assert.ok(here.lfs.batches.some(({ path }) => path === '/own.git/info/lfs/objects/batch'))
})

test('the .lfsconfig at the root of a repository applies to a space of one of its folders', async () => {
  const folder = async (config: string, filter = true) => {
    const { oid, pointer } = here.lfs.put(picture())
    const files = {
      '.lfsconfig': config,
      'app.js': 'code\n',
      'docs/README.md': PAGE,
      'docs/.gitbook/assets/a.png': pointer,
    }
    const theirs = await here.repository(files)
    if (filter) await git(theirs.path, ['config', 'uploadpack.allowFilter', 'true'])
    const space = await here.space()
    const connection = await here.connect(space, { url: theirs.url, repoProjectDirectory: 'docs', credential })
    const picked = async () => (await filesOf(space)).find(({ name }: { name: string }) => name === 'a.png').lfs
    const batches = () => here.lfs.batches.filter(({ body }) => JSON.stringify(body).includes(oid))
    return { theirs, space, connection, picked, batches }
  }
  const own = `[lfs]\n\turl = ${here.remotes.url}/of-the-root.git/info/lfs\n`
  for (const filter of [true, false]) {
    const same = await folder(own, filter)
    assert.is((await same.picked()).state, 'present')
    assert.equal(
      same.batches().map(({ path }) => path),
      ['/of-the-root.git/info/lfs/objects/batch'],
    )
    const at = join(here.service.dir, 'repos', `${same.space}.git`)
    assert.not.match(
      await git(at, ['log', '--all', '--name-only', '--format=']),
      /lfsconfig/,
      'it is read, and does not get into the space',
    )
  }
  const other = await folder(`[lfs]\n\turl = ${here.lfs.storage}/lfs\n`)
  assert.match(
    (await other.picked()).problem,
    /\.lfsconfig names a server on 127\.0\.0\.1:\d+, which is not the host of the remote/,
  )
  assert.equal(other.batches(), [], 'no credential goes elsewhere')
  const long = await folder(`${own}# ${'x'.repeat(17_000)}\n`)
  assert.match((await long.picked()).problem, /\.lfsconfig has more than 16384 bytes/)
  assert.equal(long.batches(), [])
  // A corrected file takes effect with the next run that a user requests.
  await other.theirs.commit({ '.lfsconfig': own })
  await here.service.admin
    .call('post', `${other.connection.base}/run`, {})
    .expect((response) => assert.ok(response.status < 300))
  await here.idle()
  assert.is((await other.picked()).state, 'present')
})

test('the hash of an object alone does not give access to it', async () => {
  const bytes = picture()
  const { oid, size, pointer } = here.lfs.put(bytes)
  const { named } = await connected({ 'secret.png': pointer })
  const url = new URL((await named())['secret.png']?.downloadURL as string)
  // A member of the organization puts a pointer with the hash into their own space.
  const own = await here.space()
  const files = [{ name: 'stolen.png', base64: Buffer.from(pointer).toString('base64') }]
  await here.service.admin
    .call('post', `/v1/spaces/${own}/content`, { changes: [{ operation: 'insert_files', files }] })
    .expect(200)
  const [stolen] = await filesOf(own)
  assert.is(stolen.lfs.state, 'local')
  assert.is((await download(stolen.downloadURL).expect(200)).body.toString(), pointer)
  assert.is((await download(stolen.downloadURL)).headers['cache-control'], 'private, no-cache')
  // Their remote claims to have the object. The service serves only what it received, and verifies the hash.
  here.lfs.objects.set(oid, { bytes: Buffer.alloc(size) })
  const theirs = await connected({ 'stolen.png': pointer })
  assert.is((await theirs.named())['stolen.png']?.lfs?.state, 'failed')
  await download((await theirs.named())['stolen.png']?.downloadURL as string).expect(404)
  here.lfs.objects.delete(oid)
  // The signature is valid for one space and one pointer.
  const [, , , , blob] = url.pathname.split('/')
  for (const path of [
    url.pathname.replace(/files\/[^/]+/, `files/${own}`),
    url.pathname.replace(blob as string, oid),
    url.pathname,
  ])
    await request(here.service.url)
      .get(`${path}${path === url.pathname ? '?expires=9999999999&signature=x' : url.search}`)
      .expect(404)
  await download(url.href).expect(200)
  const stranger = await here.service.caller()
  await stranger.call('get', `/v1/spaces/${theirs.space}/content/files`).expect(404)
})

test('a duplicate keeps LFS files until the last space that uses them is purged', async () => {
  const { oid, pointer } = here.lfs.put(picture())
  const { space, named } = await connected({ 'a.png': pointer })
  const copy = (await here.service.admin.call('post', `/v1/spaces/${space}/duplicate`).expect(201)).body.id
  const [copied] = await filesOf(copy)
  assert.is(copied.lfs.state, 'present')
  const { app } = here.service.service
  const purge = async (id: string): Promise<void> => {
    await here.service.admin.call('delete', `/v1/spaces/${id}`).expect((response) => assert.ok(response.status < 300))
    here.clock.forward(8 * 86_400_000)
    await purgeSpace(app, id)
  }
  const url = (await named())['a.png']?.downloadURL as string
  await purge(space)
  await download(url).expect(404)
  await stored.writtenAt(oid, new Date(1000))
  await sweepLfsFiles(app)
  assert.ok(await stored.exists(oid), 'the copy has it')
  await stored.writtenAt(oid, new Date())
  await purge(copy)
  assert.is(await app.store.count(lfsObjects, 'oid', oid), 0)
  await sweepLfsFiles(app)
  assert.ok(await stored.exists(oid), 'a young file may be about to be recorded')
  await stored.writtenAt(oid, new Date(1000))
  await sweepLfsFiles(app)
  assert.not.ok(await stored.exists(oid))
})

test('an export keeps LFS pointers, and a lost file is fetched again', async () => {
  const { oid, pointer } = here.lfs.put(picture())
  const { space, theirs, named } = await connected({ 'a.png': pointer })
  await here.write(space, 'More', '# More\n')
  await here.forward(QUIET_MS + 1)
  const exported = await here.remoteFiles(theirs)
  assert.is(exported['.gitbook/assets/a.png'], pointer.trim())
  assert.ok('more.md' in exported)
  await stored.remove(oid)
  await maintainRepository(here.service.service.app, space)
  await here.idle()
  await download((await named())['a.png']?.downloadURL as string).expect(200)
  const own = picture()
  await theirs.commit({ '.gitbook/assets/a.png': own })
  await here.forward(A_POLL)
  const replaced = (await named())['a.png']
  assert.is(replaced?.lfs, undefined)
  assert.ok((await download(replaced?.downloadURL as string).expect(200)).body.equals(own))
})

test('an import without a connection fetches more than 100 LFS objects', async () => {
  const names = Array.from({ length: 120 }, (_, n) => `${n}.png`)
  const pointers = Object.fromEntries(names.map((name) => [`.gitbook/assets/${name}`, here.lfs.put(picture()).pointer]))
  const theirs = await here.repository({ 'README.md': '# Home\n', ...pointers })
  const space = await here.space()
  const url = theirs.url.replace('://', `://${AUTH.username}:${AUTH.password}@`)
  await here.service.admin.call('post', `/v1/spaces/${space}/git/import`, { url, ref: 'refs/heads/main' }).expect(204)
  await here.idle()
  assert.equal(asksOf(theirs), [100, 20])
  // Two jobs run at a time, for this space and another one.
  assert.ok(here.lfs.most <= 6, `${here.lfs.most} downloads at once`)
  const states = new Set()
  for (let page: string | undefined = ''; page !== undefined; ) {
    const { body }: { body: { items: { lfs: { state: string } }[]; next?: { page: string } } } =
      await here.service.admin
        .call('get', `/v1/spaces/${space}/content/files?limit=100${page === '' ? '' : `&page=${page}`}`)
        .expect(200)
    for (const { lfs } of body.items) states.add(lfs.state)
    page = body.next?.page
  }
  assert.equal([...states], ['present'])
})

test('a picture that is stored in Git LFS is printed', async () => {
  const bytes = picture()
  const { pointer } = here.lfs.put(bytes)
  const { space } = await connected({ 'a.png': pointer, 'b.png': pointerOf(OTHER, 10) })
  const { app } = here.service.service
  const repo = await app.git.open(space)
  const folder = await mkdtemp(join(here.service.dir, 'book-'))
  const pictures = new Pictures(app, space, await repo.objects.snapshot(repo.refs.head(MAIN) as never), folder)
  const address = await pictures.address('.gitbook/assets/a.png')
  assert.ok(address)
  assert.ok((await readFile(join(folder, address as string))).equals(bytes))
  assert.is(await pictures.address('.gitbook/assets/b.png'), null)
})

test.run()
