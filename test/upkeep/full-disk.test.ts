import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import request, { type Test } from 'supertest'
import * as assert from 'uvu/assert'
import { FolderWatch } from '../../src/disk/folder-watch.js'
import { finishEntries } from '../../src/domain/events/request-entry.js'
import { newId } from '../../src/kernel/ids.js'
import { createLog } from '../../src/kernel/log.js'
import { auditLog, ssoUsed } from '../../src/model/index.js'
import { operatorFailures } from '../../src/start/operator-failures.js'
import { launch, TOKEN, until } from '../races/server-process.js'
import { git } from '../support/hermetic-git.js'
import { moduleArguments } from '../support/own-process.js'
import { startService, type TestService } from '../support/service.js'
import { type SmallDisk, smallDisk } from '../support/small-disk.js'
import { suite } from '../support/suite.js'

// @embedded-only: plain-git
// @own-process: it starts servers as another user
const test = suite<object>('full and read-only disks')

const lines: { level: string; msg: string; space?: string }[] = []
const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } })

const edit = (here: TestService, space: string, title: string) => {
  const changes = [
    { operation: 'insert_page', title, document: { markdown: `About ${title}. ${'Many words. '.repeat(500)}` } },
  ]
  return here.admin.call('post', `/v1/spaces/${space}/content`, { changes, message: title })
}

/** Resolves when writing works again. */
async function untilWritable(here: TestService, space: string): Promise<void> {
  const isReady = async (): Promise<boolean> => (await fetch(`${here.url}/readyz`)).status === 200
  while ((await edit(here, space, `At ${Date.now()}`)).status !== 200 || !(await isReady()))
    await new Promise((done) => setTimeout(done, 50))
}

/** Publishes a site with the page "First" of a space, and readers' feedback. Returns its path. */
async function publish(here: TestService, space: string): Promise<string> {
  const sites = `/v1/orgs/${here.organization}/sites`
  const body = { title: 'Docs', spaces: [space], visibility: 'public' }
  const { id } = (await here.admin.call('post', sites, body).expect(201)).body
  await here.admin.call('put', `${sites}/${id}/customization`, { feedback: { enabled: true } }).expect(200)
  const { urls } = (await here.admin.call('post', `${sites}/${id}/publish`).expect(200)).body
  return new URL(urls.published).pathname
}

const rate = (here: TestService, site: string, comment = ''): Promise<Response> =>
  fetch(`${here.service.sites}${site}/~feedback`, {
    method: 'POST',
    body: new URLSearchParams({ page: '/first', helpful: 'yes', comment }),
    headers: { 'Sec-Fetch-Site': 'same-origin' },
    redirect: 'manual',
  })

/** Readers get all pages, even pages that are not cached yet, but the service stores no feedback. */
async function expectSiteReadOnly(here: TestService, site: string, page: string): Promise<void> {
  for (const path of ['', page, `${page}.md`, '/~search?q=words', '/sitemap.xml', '/feed.xml', '/llms.txt']) {
    const { status } = await fetch(here.service.sites + site + path)
    assert.is(status, 200, path)
  }
  // The first ones fill the last block of the log.
  let rated = await rate(here, site)
  for (let n = 0; n < 4 && rated.status !== 507; n++) rated = await rate(here, site, 'Many words. '.repeat(150))
  assert.is(rated.status, 507)
  const text = await rated.text()
  assert.match(text, /Not available at the moment/)
  assert.not.match(text, /small-disk|BINDERY/)
}

async function expectReadOnly(here: TestService, space: string, problem: RegExp): Promise<void> {
  lines.length = 0
  for (let n = 0; n < 3; n++) {
    const { status, body } = await edit(here, space, `Refused ${n}`)
    assert.is(status, 507, JSON.stringify(body))
    assert.match(body.error.message, problem)
    assert.not.match(body.error.message, /small-disk/, 'clients do not see paths')
  }
  const { body: created } = await here.admin
    .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Refused' })
    .expect(507)
  assert.match(created.error.message, problem)
  assert.ok(lines.some(({ level, msg }) => level === 'error' && msg.includes('cannot store data')))
  const { body: pages } = await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)
  assert.ok(pages.pages.length > 0)
  const ready = await fetch(`${here.url}/readyz`)
  assert.is(ready.status, 503)
  assert.match(((await ready.json()) as { missing: string[] }).missing.join(), problem)
}

/** `/readyz` and a metric warn while the disk is nearly full, and requests still work. */
async function expectWarning(here: TestService, disk: SmallDisk): Promise<void> {
  const seen = async () => ({
    ready: (await (await fetch(`${here.url}/readyz`)).json()) as { status: string; warnings?: string[] },
    metrics: await (await fetch(`${here.url}/metrics`)).text(),
  })
  const before = await seen()
  assert.equal(before.ready, { status: 'ready' })
  assert.match(before.metrics, /bindery_disk_nearly_full\{folder="data"\} 0/)
  const { bavail, bsize, blocks } = statfsSync(disk.dir)
  const file = join(disk.dir, 'almost')
  writeFileSync(file, Buffer.alloc(Math.floor(bavail * bsize - 0.04 * blocks * bsize)))
  const after = await seen()
  assert.is(after.ready.status, 'ready')
  assert.match(
    after.ready.warnings?.join() ?? '',
    /BINDERY_DATA_DIR: its disk is nearly full, 1 MiB of 32 MiB are free/,
  )
  assert.match(after.metrics, /bindery_disk_nearly_full\{folder="data"\} 1/)
  rmSync(file)
}

const BLOCK = 4096

const [full, readOnly, crowded] = [smallDisk(), smallDisk(), smallDisk()]
if (full === null || readOnly === null || crowded === null) test.skip('this process may not mount a file system')
else {
  test.after(() => {
    full.unmount()
    readOnly.unmount()
    crowded.unmount()
  })

  test('a server with a full disk returns 507 until there is space, even after a restart', async () => {
    const here = await startService({ dir: full.dir, overrides: { log } })
    const { body: space } = await here.admin
      .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Space' })
      .expect(201)
    await edit(here, space.id, 'First').expect(200)
    await edit(here, space.id, 'Unread').expect(200)
    const site = await publish(here, space.id)
    assert.is((await rate(here, site)).status, 303)
    await expectWarning(here, full)
    full.fill()
    await expectSiteReadOnly(here, site, '/first')
    await expectReadOnly(here, space.id, /BINDERY_\w+_DIR: its disk is full/)
    lines.length = 0
    await here.restart()
    assert.ok(
      lines.some(({ level, msg }) => level === 'error' && /BINDERY_DATA_DIR: its disk is full.*read-only/.test(msg)),
    )
    await expectSiteReadOnly(here, site, '/unread')
    await expectReadOnly(here, space.id, /BINDERY_\w+_DIR: its disk is full/)
    full.makeRoom()
    await untilWritable(here, space.id)
    assert.is((await rate(here, site)).status, 303)
    await here.service.close()
  })

  /** Adds documents to the log, so that this number of bytes is left in its last block. */
  async function leaveInLog({ dir, service: { app } }: TestService, room: number): Promise<void> {
    const folder = join(dir, 'data/store/log')
    const size = (): number => statSync(join(folder, readdirSync(folder).sort().at(-1) ?? '')).size
    const add = (text: string) => app.store.insert(ssoUsed, { id: `f${newId()}`, expiresAt: text })
    await add('9')
    const before = size()
    await add('9')
    const left = BLOCK - (size() % BLOCK)
    await add('9'.repeat(1 + left + BLOCK - room - (size() - before)))
    // The numbers of transactions become longer now and then.
    assert.ok(Math.abs(((BLOCK - (size() % BLOCK)) % BLOCK) - room) < 4 || room === 0)
  }

  test('a change is stored with its entry, or rejected with 507, however much room the log has', async () => {
    const here = await startService({ dir: crowded.dir, overrides: { log } })
    const { app } = here.service
    const deletions = new Map<number, number>()
    for (let room = 0; room < 2000; room += 50) {
      const { body: token } = await here.admin.call('post', '/v1/user/tokens', { label: 'x' }).expect(201)
      await leaveInLog(here, room)
      crowded.fill()
      const { status } = await here.admin.call('delete', `/v1/user/tokens/${token.id}`)
      deletions.set(status, (deletions.get(status) ?? 0) + 1)
      crowded.makeRoom()
      await finishEntries(app, null)
      const expected = status === 507 ? 200 : 404
      await here.admin.call('get', `/v1/user/tokens/${token.id}`).expect(expected)
      const entries = await app.store.read(auditLog, here.organization, {
        direction: 'desc',
        limit: 1,
        matches: ({ operation, resources }) => operation === 'deleteUserToken' && resources.token === token.id,
      })
      assert.is(entries.records.length, status === 507 ? 0 : 1)
    }
    assert.equal([...deletions.keys()].sort(), [204, 507])
    await here.service.close()
  })

  test('a server on a read-only file system returns 507 and is not ready until it is writable', async () => {
    const first = await startService()
    const { body: space } = await first.admin
      .call('post', `/v1/orgs/${first.organization}/spaces`, { title: 'Space' })
      .expect(201)
    await edit(first, space.id, 'First').expect(200)
    await first.service.close()
    for (const folder of ['data', 'repos'])
      cpSync(join(first.dir, folder), join(readOnly.dir, folder), { recursive: true })
    readOnly.remount('ro')
    const here = await startService({ dir: readOnly.dir, overrides: { log } })
    await expectReadOnly(here, space.id, /BINDERY_\w+_DIR: its file system is read-only/)
    readOnly.remount('rw')
    await untilWritable(here, space.id)
    await here.service.close()
    await first.close().catch(() => undefined)
  })
}

test('an input or output error of a write names the folder, and one of a read does not', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'broken-disk-'))
  const watch = new FolderWatch({ BINDERY_DATA_DIR: join(dir, 'data'), BINDERY_REPOS_DIR: dir })
  mkdirSync(join(dir, 'data'))
  const failed = (syscall: string) =>
    Object.assign(new Error('EIO: i/o error'), { code: 'EIO', syscall, path: join(dir, 'data', 'store/log/1') })
  const explain = operatorFailures(watch)
  for (const syscall of ['write', 'fsync', 'fdatasync', 'rename', 'open']) {
    const shown = await explain(new Error('the log cannot be written', { cause: failed(syscall) }))
    assert.match(String(shown), /cannot store data right now. BINDERY_DATA_DIR: its disk reports errors/, syscall)
  }
  assert.not.match(String(await explain(failed('read'))), /cannot store data/)
  rmSync(dir, { recursive: true })
})

/** The user with the fewest permissions. */
const OTHER_USER = 65_534

/** A folder for a server of another user, who can pass through the run's folder, but not list it. */
function folderForAll(): string {
  const dir = mkdtempSync(join(tmpdir(), 'other-user-'))
  for (const path of [tmpdir(), dir]) chmodSync(path, (statSync(path).mode & 0o7777) | 0o011)
  for (const name of ['data', 'repos', 'tmp']) mkdirSync(join(dir, name))
  execFileSync('chown', ['-R', String(OTHER_USER), ...['data', 'repos', 'tmp'].map((name) => join(dir, name))])
  return dir
}

/** The reason why the server cannot start as another user, or null if it can. */
function whyNoOtherUser(): string | null {
  if (process.getuid?.() !== 0) return 'only root can start the server as another user'
  const main = moduleArguments('../../src/main.js', import.meta.url).at(-1) as string
  const lacking = [main, process.execPath, dirname(tmpdir())].find((path) => {
    const { status } = spawnSync('test', ['-r', path], { uid: OTHER_USER, gid: OTHER_USER, cwd: '/', stdio: 'ignore' })
    return status !== 0
  })
  return lacking === undefined ? null : `another user cannot read ${lacking}`
}

/** A server that another user runs, ready or not. */
class ForeignServer {
  url = ''
  organization = ''
  readonly #process

  constructor(dir: string) {
    this.#process = launch(dir, { TMPDIR: join(dir, 'tmp') }, {}, OTHER_USER)
  }

  async started(): Promise<this> {
    let over = false
    void this.#process.ended.then(() => (over = true))
    const match = await until(() => {
      if (over) throw new Error(`the server ended at its start: ${this.output()}`)
      return /ready at (\S+)[\s\S]*Organization\s+(\S+)/.exec(this.output())
    })
    this.url = match[1] as string
    this.organization = match[2] as string
    return this
  }

  output = (): string => this.#process.output()
  ended = (): Promise<number | null> => this.#process.ended

  async stop(): Promise<void> {
    this.#process.child.kill('SIGTERM')
    assert.is(await this.#process.ended, 0, this.output())
  }

  call(method: 'get' | 'post', path: string, body?: object): Test {
    const asked = request(this.url)[method](path).set('Authorization', `Bearer ${TOKEN}`)
    return body === undefined ? asked : asked.send(body)
  }
}

const noOtherUser = whyNoOtherUser()
if (noOtherUser !== null) test.skip(noOtherUser)
else
  test('the server reads folders of another user until it is allowed to write', async () => {
    const dir = folderForAll()
    const own = (owner: number): void => {
      for (const folder of ['data', 'repos']) {
        execFileSync('chown', ['-R', String(owner), join(dir, folder)])
        execFileSync('chmod', ['-R', 'u+rwX,a+rX', join(dir, folder)])
      }
    }
    const problem = /BINDERY_(DATA|REPOS)_DIR: the server has no permission to write there/
    let server = await new ForeignServer(dir).started()
    const { body: space } = await server
      .call('post', `/v1/orgs/${server.organization}/spaces`, { title: 'Space' })
      .expect(201)
    const write = (title: string): Test =>
      server.call('post', `/v1/spaces/${space.id}/content`, {
        changes: [{ operation: 'insert_page', title, document: { markdown: `About ${title}.` } }],
      })
    await write('First').expect(200)
    const expectReadsAlone = async (): Promise<void> => {
      const { body: refused } = await write('Refused').expect(507)
      assert.match(refused.error.message, problem)
      await server.call('post', `/v1/orgs/${server.organization}/spaces`, { title: 'Refused' }).expect(507)
      const { body: ready } = await server.call('get', '/readyz').expect(503)
      assert.equal(
        ready.missing.map((one: string) => problem.exec(one)?.[1]),
        ['DATA', 'REPOS'],
      )
      const { body: page } = await server.call('get', `/v1/spaces/${space.id}/content/path/first`).expect(200)
      assert.is(page.title, 'First')
      for (const path of [
        `/v1/spaces/${space.id}/search?query=about`,
        `/v1/orgs/${server.organization}/search?query=about`,
      ])
        assert.is((await server.call('get', path).expect(200)).body.count, 1, path)
      const remote = `${server.url.replace('://', `://git:${TOKEN}@`)}/git/${space.id}.git`
      assert.match(await git(dir, ['ls-remote', remote]), /refs\/heads\/main/)
      const copy = mkdtempSync(join(dir, 'clone-'))
      await git(dir, ['clone', '--quiet', remote, copy])
      assert.is(statSync(join(copy, 'first.md')).isFile(), true)
    }
    own(0)
    await expectReadsAlone()
    await server.stop()
    server = await new ForeignServer(dir).started()
    assert.match(server.output(), /The server starts read-only/)
    await expectReadsAlone()
    own(OTHER_USER)
    await until(async () => ((await fetch(`${server.url}/readyz`)).status === 200 ? true : null))
    await write('Second').expect(200)
    await server.stop()
    // Without permission to read, there is nothing to serve.
    execFileSync('chown', ['-R', '0', join(dir, 'data')])
    execFileSync('chmod', ['-R', 'go-rwx', join(dir, 'data')])
    const unread = new ForeignServer(dir)
    assert.is(await unread.ended(), 2)
    assert.match(
      unread.output(),
      /^EACCES: permission denied, .*\/data\S*'\. Give the user that runs the server access/,
    )
    rmSync(dir, { recursive: true })
  })

test.run()
