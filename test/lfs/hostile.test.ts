// Tests failures of Git LFS in spaces: limits, lost files and credentials, slow servers, other organizations, and
// revisions outside main.
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { maintainRepository } from '../../src/domain/upkeep/housekeeping.js'
import { lfsObjects } from '../../src/model/index.js'
import { POLL_MS } from '../connections/connected.js'
import { git } from '../support/hermetic-git.js'
import { pointerOf } from '../support/lfs-server.js'
import { StoredFiles } from '../support/stored-files.js'
import { suiteWith } from '../support/suite.js'
import { AUTH, credential, startConnectedLfs } from './connected.js'

const SPACE_BYTES = 10_000
const LARGEST = 4_000
const A_POLL = POLL_MS * 1.2
const MINUTE = 60_000

const [test, here] = await suiteWith('lfs: hostile', () =>
  startConnectedLfs({ BINDERY_LFS_LIMIT_BYTES: String(LARGEST), BINDERY_LFS_SPACE_BYTES: String(SPACE_BYTES) }),
)

const put = (bytes = 500) => here.lfs.put(randomBytes(bytes))
type Shown = Record<string, { downloadURL: string; size: number; lfs?: { state: string; problem?: string } }>
/** The files of a revision, by name. */
const shown = async (base: string): Promise<Shown> =>
  Object.fromEntries(
    (await here.service.admin.call('get', `${base}/files`).expect(200)).body.items.map((file: { name: string }) => [
      file.name,
      file,
    ]),
  )
const main = (space: string): Promise<Shown> => shown(`/v1/spaces/${space}/content`)
const assets = (pointers: Record<string, string>) =>
  Object.fromEntries(Object.entries(pointers).map(([name, pointer]) => [`.gitbook/assets/${name}`, pointer]))
async function connected(pointers: Record<string, string>) {
  const theirs = await here.repository({ 'README.md': '# Home\n', ...assets(pointers) })
  const space = await here.space()
  const { base } = await here.connect(space, { url: theirs.url, credential })
  return { theirs, space, base }
}
const states = async (space: string): Promise<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(await main(space)).map(([name, { lfs }]) => [name, lfs?.state]))
const withPassword = (url: string): string => url.replace('://', `://${AUTH.username}:${AUTH.password}@`)
const insert = (base: string, name: string, bytes: Buffer | string) =>
  here.service.admin
    .call('post', base, {
      changes: [{ operation: 'insert_files', files: [{ name, base64: Buffer.from(bytes).toString('base64') }] }],
    })
    .expect(200)
/** The job for a move of main is queued half a second later, by the real clock. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    await new Promise((done) => setTimeout(done, 50))
    await here.idle()
  }
}

test('LFS limits apply per object and per space, and lost files do not count twice', async () => {
  const [a, b, c, large] = [put(3_000), put(3_000), put(3_000), put(LARGEST + 1)]
  const { space, theirs } = await connected({
    'a.png': a.pointer,
    'b.png': b.pointer,
    'c.png': c.pointer,
    'large.png': large.pointer,
  })
  const before = await main(space)
  assert.equal(await states(space), {
    'a.png': 'present',
    'b.png': 'present',
    'c.png': 'present',
    'large.png': 'failed',
  })
  assert.match(
    before['large.png']?.lfs?.problem ?? '',
    /has 4001 bytes\. The limit for a Git LFS file is 4000 bytes \(BINDERY_LFS_LIMIT_BYTES\)/,
  )
  assert.not.ok(
    here.lfs.batches.some(({ body }) => JSON.stringify(body).includes(large.oid)),
    'it is not even asked for',
  )
  await theirs.commit(assets({ 'd.png': put(3_000).pointer, 'e.png': put(900).pointer }))
  await here.forward(A_POLL)
  const after = await main(space)
  assert.match(after['d.png']?.lfs?.problem ?? '', /exceed 10000 bytes \(BINDERY_LFS_SPACE_BYTES\)/)
  assert.is(after['e.png']?.lfs?.state, 'present')
  for (const { oid } of [a, b, c]) await new StoredFiles(here.service.dir, 'lfs').remove(oid)
  await maintainRepository(here.service.service.app, space)
  await here.idle()
  for (const name of ['a.png', 'b.png', 'c.png'])
    await request((await main(space))[name]?.downloadURL as string)
      .get('')
      .expect(200)
})

test('empty LFS objects and pointers with impossible sizes are handled', async () => {
  const empty = here.lfs.put(Buffer.alloc(0))
  const there = put(500)
  const pointers = {
    'empty.bin': empty.pointer,
    'most.png': pointerOf('e'.repeat(64), Number.MAX_SAFE_INTEGER),
    'more.png': pointerOf('d'.repeat(64), '9007199254740993'),
  }
  const { space } = await connected({
    ...pointers,
    'zero.png': pointerOf(there.oid, 0),
    'negative.png': pointerOf(there.oid, '-1'),
  })
  assert.equal(await states(space), {
    'empty.bin': 'present',
    'most.png': 'failed',
    'more.png': undefined,
    'zero.png': 'failed',
    'negative.png': undefined,
  })
  const file = (await main(space))['empty.bin']
  assert.is(file?.size, 0)
  const { body } = await request(file?.downloadURL as string)
    .get('')
    .expect(200)
  assert.is(Buffer.from(body).length, 0)
})

test('a job with a slow server continues after other waiting jobs', async () => {
  const slow = Array.from({ length: 8 }, () => put(100))
  const oids = new Set(slow.map(({ oid }) => oid))
  for (const oid of oids) here.lfs.objects.set(oid, { expiresIn: 1_000_000 })
  here.lfs.onDownload = (oid) => void (oids.has(oid) && here.clock.forward(6 * MINUTE))
  const asked = here.lfs.batches.length
  const { space } = await connected(Object.fromEntries(slow.map(({ pointer }, n) => [`${n}.png`, pointer])))
  delete here.lfs.onDownload
  assert.equal(new Set(Object.values(await states(space))), new Set(['present']))
  assert.ok(here.lfs.batches.length - asked > 1, 'it took more than one job')
})

test('objects that are added to main while a fetch job runs are fetched too', async () => {
  const [first, second] = [put(), put()]
  const space = await here.space()
  const theirs = await here.repository({ 'README.md': '# Home\n', ...assets({ 'a.png': first.pointer }) })
  let moved = false
  here.lfs.onDownload = async (oid) => {
    if (oid !== first.oid || moved) return
    moved = true
    await insert(`/v1/spaces/${space}/content`, 'b.png', second.pointer)
    // The starter runs half a second later, while this job still runs.
    await new Promise((done) => setTimeout(done, 900))
  }
  await here.connect(space, { url: theirs.url, credential })
  delete here.lfs.onDownload
  await until(async () => (await states(space))['b.png'] === 'present')
  assert.equal(await states(space), { 'a.png': 'present', 'b.png': 'present' })
})

test('a file of a paused or deleted connection states that, and is fetched after it resumes', async () => {
  const { space, base } = await connected({ 'a.png': put().pointer })
  await here.service.admin.call('post', `${base}/pause`).expect(200)
  await insert(`/v1/spaces/${space}/content`, 'b.png', put().pointer)
  await until(async () => (await states(space))['b.png'] === 'failed')
  assert.match((await main(space))['b.png']?.lfs?.problem ?? '', /is paused/)
  await here.service.admin.call('post', `${base}/resume`).expect(200)
  await here.forward(MINUTE + 1)
  assert.is((await states(space))['b.png'], 'present')
  await here.service.admin.call('delete', base).expect((response) => assert.ok(response.status < 300))
  await insert(`/v1/spaces/${space}/content`, 'c.png', put().pointer)
  await until(async () => (await states(space))['c.png'] === 'failed')
  assert.match((await main(space))['c.png']?.lfs?.problem ?? '', /was removed/)
  assert.is((await states(space))['a.png'], 'present')
})

test('a request credential is lost after a restart, and the file states what to do', async () => {
  const theirs = await here.repository({ 'README.md': '# Home\n', ...assets({ 'a.png': put().pointer }) })
  const space = await here.space()
  const body = { url: withPassword(theirs.url), ref: 'refs/heads/main' }
  here.lfs.batch = { status: 503 }
  await here.service.admin.call('post', `/v1/spaces/${space}/git/import`, body).expect(204)
  await here.idle()
  assert.match((await main(space))['a.png']?.lfs?.problem ?? '', /503/)
  await here.service.restart()
  here.lfs.batch = {}
  await here.forward(MINUTE + 1)
  assert.match((await main(space))['a.png']?.lfs?.problem ?? '', /401.*import again, or create a connection/)
  await here.service.admin.call('post', `/v1/spaces/${space}/git/import`, body).expect(204)
  await here.idle()
  assert.is((await main(space))['a.png']?.lfs?.problem, undefined)
})

test('an object of another organization looks like a missing one', async () => {
  const secret = put()
  await connected({ 'secret.png': secret.pointer })
  const { body: other } = await here.service.admin.call('post', '/v1/orgs', { title: 'Others' }).expect(201)
  const { body: own } = await here.service.admin
    .call('post', `/v1/orgs/${other.id}/spaces`, { title: 'Own', editMode: 'live' })
    .expect(201)
  const unknown = createHash('sha256').update('nobody has it').digest('hex')
  for (const oid of [secret.oid, unknown])
    here.lfs.objects.set(oid, { error: { code: 404, message: 'Object does not exist' } })
  const theirs = await here.repository({
    'README.md': '# Home\n',
    ...assets({ 'known.png': secret.pointer, 'unknown.png': pointerOf(unknown, secret.size) }),
  })
  await here.connect(own.id, { url: theirs.url, credential })
  const { 'known.png': known, 'unknown.png': nobody } = await main(own.id)
  assert.is(known?.lfs?.state, 'failed')
  assert.equal([known?.size, known?.lfs?.problem], [nobody?.size, nobody?.lfs?.problem])
  const [one, two] = await Promise.all(
    [known, nobody].map((file) =>
      request(file?.downloadURL as string)
        .get('')
        .expect(404),
    ),
  )
  const textOf = (response: typeof one) =>
    JSON.stringify(response?.body).replace(/"(id|requestId|request)":"[^"]*"/g, '')
  assert.is(textOf(one), textOf(two))
  here.lfs.objects.clear()
})

test('a change request can add a pointer or replace it with an upload', async () => {
  const [first, second] = [put(), put()]
  const { space } = await connected({ 'a.png': first.pointer })
  const requests = `/v1/spaces/${space}/change-requests`
  const { body: adding } = await here.service.admin.call('post', requests, { subject: 'A picture' }).expect(201)
  await insert(`${requests}/${adding.id}/content`, 'b.png', second.pointer)
  const draft = await shown(`${requests}/${adding.id}/content`)
  assert.is(draft['a.png']?.lfs?.state, 'present')
  assert.is(draft['b.png']?.lfs?.state, 'waiting')
  await here.service.admin.call('post', `${requests}/${adding.id}/merge`).expect(200)
  await until(async () => (await states(space))['b.png'] === 'present')
  const old = (await main(space))['a.png']?.downloadURL as string
  const { body: replacing } = await here.service.admin
    .call('post', requests, { subject: 'Another picture' })
    .expect(201)
  const file = (
    await here.service.admin.call('get', `${requests}/${replacing.id}/content/files`).expect(200)
  ).body.items.find(({ name }: { name: string }) => name === 'a.png')
  const bytes = Buffer.from('an ordinary picture')
  const change = { changes: [{ operation: 'delete_file', file: file.id }] }
  await here.service.admin.call('post', `${requests}/${replacing.id}/content`, change).expect(200)
  await insert(`${requests}/${replacing.id}/content`, 'a.png', bytes)
  await here.service.admin.call('post', `${requests}/${replacing.id}/merge`).expect(200)
  const now = (await main(space))['a.png']
  assert.equal([now?.lfs, now?.size], [undefined, bytes.length])
  assert.ok(
    (
      await request(now?.downloadURL as string)
        .get('')
        .buffer(true)
    ).body.equals(bytes),
  )
  await request(old).get('').expect(200)
})

test('only objects whose pointers Git has deleted are deleted', async () => {
  const [kept, dropped] = [put(), put()]
  const { space } = await connected({ 'kept.png': kept.pointer, 'dropped.png': dropped.pointer })
  const { app } = here.service.service
  const present = async (): Promise<string[]> =>
    (await app.store.find(lfsObjects, 'space', space)).map(({ oid }) => oid).sort()
  await maintainRepository(app, space)
  assert.equal(await present(), [kept.oid, dropped.oid].sort())
  const url = (await main(space))['dropped.png']?.downloadURL as string
  // An admin replaces the history with plain Git.
  const repository = join(here.service.dir, 'repos', `${space}.git`)
  const blob = await git(repository, ['rev-parse', 'refs/heads/main:.gitbook/assets/dropped.png'])
  const tree = (await git(repository, ['ls-tree', '-r', 'refs/heads/main']))
    .split('\n')
    .filter((line) => !line.includes('dropped.png'))
  const env = { GIT_INDEX_FILE: join(here.service.dir, 'an-index') }
  await git(repository, ['update-index', '--add', '--index-info'], `${tree.join('\n')}\n`, env)
  const commit = await git(repository, [
    'commit-tree',
    '-m',
    'Without it',
    await git(repository, ['write-tree'], undefined, env),
  ])
  for (const ref of (await git(repository, ['for-each-ref', '--format=%(refname)'])).split('\n'))
    await git(repository, ['update-ref', '-d', ref])
  await git(repository, ['update-ref', 'refs/heads/main', commit.trim()])
  await git(repository, ['reflog', 'expire', '--expire=now', '--all'])
  await git(repository, ['repack', '-a', '-d', '-q'])
  await git(repository, ['prune', '--expire=now'])
  assert.is(await git(repository, ['cat-file', '-t', blob]).catch(() => 'gone'), 'gone')
  await maintainRepository(app, space)
  assert.equal(await present(), [kept.oid])
  await request(url).get('').expect(404)
})

test.run()
