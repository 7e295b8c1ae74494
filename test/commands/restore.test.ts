// @costly: it populates a service with every kind of resource, and restores a dozen backups
/** Incremental backups in folders and S3-compatible stores, and what they restore. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { backup, listBackups } from '../../src/commands/backup/backup.js'
import { restore } from '../../src/commands/backup/restore.js'
import { BackupStore } from '../../src/commands/backup/snapshots.js'
import { openStorage } from '../../src/commands/backup/storage.js'
import { checkAll, offline } from '../../src/commands/maintenance.js'
import { type Config, loadConfig } from '../../src/config.js'
import { sampleEnv, samples } from '../api/samples/index.js'
import { pathsOf, responsesOf } from '../support/all-responses.js'
import { moduleArguments } from '../support/own-process.js'
import { startS3 } from '../support/s3-server.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

// @own-process: it kills processes that back up
// @embedded-only: data-folder
const test = suite('incremental backups')
const KEYS = { bucket: 'backups', accessKey: 'THE_ACCESS_KEY', secret: 'the/secret+key' }
const tell = (): void => {}

const configOf = (dir: string, env: Record<string, string> = {}): Config =>
  loadConfig({
    BINDERY_DATA_DIR: join(dir, 'data'),
    BINDERY_REPOS_DIR: join(dir, 'repos'),
    BINDERY_PORT: '0',
    BINDERY_SITES_PORT: '0',
    ...env,
  })
const inputOf = (target: string, more: Partial<Parameters<typeof backup>[1]> = {}) => ({
  target,
  incremental: true,
  passphraseFile: undefined,
  keep: undefined,
  verify: false,
  ...more,
})

interface Result {
  backup: string
  readFiles: number
  storedBytes: number
  removed: number
}
const backUp = async (config: Config, target: string, more: Partial<Parameters<typeof backup>[1]> = {}) =>
  (await backup(config, inputOf(target, more), tell)).json as Result

const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => assert.unreachable('it was not rejected') as never,
    (error: Error) => error.message,
  )

const addSpace = async (here: TestService, title: string): Promise<string> =>
  (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title }).expect(201)).body.id
const edit = (here: TestService, space: string, title: string) =>
  here.admin
    .call('post', `/v1/spaces/${space}/content`, {
      changes: [{ operation: 'insert_page', title, document: { markdown: `Words of ${title}.` } }],
      message: title,
    })
    .expect(200)

/** The surroundings of the first difference of two texts. */
function firstDifference(a: string, b: string | undefined): string {
  if (b === undefined) return 'there is no response'
  let at = 0
  while (a[at] === b[at]) at++
  return `${a.slice(at - 80, at + 60)} became ${b.slice(at - 10, at + 60)}`
}

/** Restores a backup into new folders, and starts a service on them. */
async function restoredService(
  target: string,
  env: Record<string, string> = {},
  more: object = {},
): Promise<TestService> {
  const dir = await mkdtemp(join(tmpdir(), 'restored-'))
  await restore(configOf(dir, env), { target, passphrase: null, tell, ...more })
  return startService({ dir, env: sampleEnv })
}

test('a restored backup of a busy service returns the response of every GET operation', async () => {
  const here = await startService({ env: sampleEnv })
  const target = await mkdtemp(join(tmpdir(), 'backups-'))
  try {
    const paths = pathsOf(await samples(here))
    await here.restart()
    await here.service.idle()
    const before = await responsesOf(here, paths)
    assert.ok(Object.keys(before).length > 60, String(Object.keys(before).length))
    // Other people write in another organization while the backup is made.
    const writer = await here.caller()
    const { body: other } = await writer.call('post', '/v1/orgs', { title: 'Busy' }).expect(201)
    const { body: busy } = await writer.call('post', `/v1/orgs/${other.id}/spaces`, { title: 'Busy' }).expect(201)
    let [stopped, edits] = [false, 0]
    const writing = (async () => {
      while (!stopped) await edit({ ...here, admin: writer } as TestService, busy.id, `Page ${++edits}`)
    })()
    await backUp(configOf(here.dir), target)
    stopped = true
    await writing
    assert.ok(edits > 0)
    const restored = await restoredService(target)
    const after = await responsesOf(restored, Object.keys(before))
    const isSame = (path: string): boolean =>
      path.endsWith('/audit-log')
        ? onlyAddsRestore(before[path], after[path])
        : isDeepStrictEqual(after[path], before[path])
    const different = Object.keys(before).filter((path) => !isSame(path))
    assert.equal(
      different.map((path) => `${path}: ${firstDifference(JSON.stringify(before[path]), JSON.stringify(after[path]))}`),
      [],
    )
    await restored.service.close()
    assert.equal(await checkAll(configOf(restored.dir)), { complaints: [], notes: [] })
    await expectSameAfterRepair(restored, target, after)
    await rm(restored.dir, { recursive: true })
  } finally {
    await here.close()
    await rm(target, { recursive: true })
  }
})

/**
 * Damages every file of documents and journals, and a repository. After `fsck --repair` and a copy of the repository
 * from the backup, a server returns the same responses.
 */
async function expectSameAfterRepair(here: TestService, target: string, before: object): Promise<void> {
  const store = join(here.dir, 'data/store')
  let ruined = 0
  for (const folder of ['documents', 'journals'])
    for (const one of await readdir(join(store, folder), { recursive: true, withFileTypes: true })) {
      if (!one.isFile()) continue
      const file = join(one.parentPath, one.name)
      // Documents and records stay readable: a checkpoint loses its checksum, and a segment gets half a line.
      const text = await readFile(file, 'utf8')
      await writeFile(file, folder === 'documents' ? text.replace(/,\n"crc32".*/s, '') : `${text}{"half`)
      ruined++
    }
  assert.ok(ruined > 30, `${ruined} files`)
  const spare = await mkdtemp(join(tmpdir(), 'spare-'))
  await restore(configOf(spare), { target, passphrase: null, tell })
  const [repository = ''] = await readdir(join(spare, 'repos'))
  for (const one of await readdir(join(here.dir, 'repos', repository), { recursive: true, withFileTypes: true }))
    if (/\.(pack|idx)$/.test(one.name)) await truncate(join(one.parentPath, one.name), 40)

  const repaired = await offline(configOf(here.dir), { repair: true })
  const notes = (await repaired.app.store.damages?.()) ?? []
  await repaired.close()
  assert.is(notes.length, ruined, notes.join('\n'))
  await rm(join(here.dir, 'repos', repository), { recursive: true })
  await cp(join(spare, 'repos', repository), join(here.dir, 'repos', repository), { recursive: true })
  await rm(spare, { recursive: true })
  await here.restart()
  const after = await responsesOf(here, Object.keys(before))
  assert.equal(after, before)
  await here.service.close()
}

/** Whether an audit log only has the entry of the restore in front of the former ones. */
function onlyAddsRestore(before: unknown, after: unknown): boolean {
  const [former, [newest, ...rest]] = [itemsIn(before), itemsIn(after)]
  return newest?.operation === 'restore' && isDeepStrictEqual(rest, former.slice(0, rest.length))
}

const itemsIn = (log: unknown) => (log as { items: { operation: string }[] }).items

async function story(config: Config, here: TestService, target: string): Promise<void> {
  const space = await addSpace(here, 'First')
  for (let n = 0; n < 8; n++) await addSpace(here, `Other ${n}`)
  const first = await backUp(config, target)
  const again = await backUp(config, target)
  assert.is(again.storedBytes, 0)
  assert.ok(again.readFiles <= 1, 'nothing changed, except perhaps the time of a file of the running server')
  await edit(here, space, 'Second')
  const second = await backUp(config, target, { verify: true })
  assert.ok(second.readFiles > 0 && second.readFiles < first.readFiles / 2, `${second.readFiles} of ${first.readFiles}`)
  const { json } = await listBackups(config, { target, passphraseFile: undefined })
  assert.equal(
    (json as { id: string }[]).map(({ id }) => id).sort(),
    [first, again, second].map((one) => one.backup).sort(),
  )
  const titles = async (id?: string): Promise<string[]> => {
    const env = { BINDERY_BACKUP_STORE_ENDPOINT: config.backupStoreEndpoint ?? '', ...S3_KEYS }
    const restored = await restoredService(target, env, { backup: id })
    const { body } = await restored.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)
    await restored.close()
    return body.pages.map((page: { title: string }) => page.title)
  }
  assert.equal((await titles()).includes('Second'), true)
  assert.equal((await titles(first.backup)).includes('Second'), false)
  assert.is((await backUp(config, target, { keep: '1' })).removed, 3)
  assert.equal((await titles()).includes('Second'), true)
  assert.match(await refusal(titles(first.backup)), /has no backup/)
}

const S3_KEYS = { BINDERY_BACKUP_STORE_ACCESS_KEY: KEYS.accessKey, BINDERY_BACKUP_STORE_SECRET_KEY: KEYS.secret }

test('backups in a folder store changes only, restore any state, and older ones are removed', async () => {
  const here = await startService()
  const target = join(here.dir, 'backups')
  await story(configOf(here.dir), here, target)
  await here.close()
})

test('backups in an S3-compatible store work like those in a folder, with signed requests', async () => {
  const here = await startService()
  const s3 = await startS3(KEYS)
  const env = { BINDERY_BACKUP_STORE_ENDPOINT: s3.url, ...S3_KEYS }
  await story(configOf(here.dir, env), here, `s3://${KEYS.bucket}/team/docs`)
  assert.ok([...s3.objects.keys()].every((name) => name.startsWith(`${KEYS.bucket}/team/docs/`)))
  const wrong = { ...env, BINDERY_BACKUP_STORE_SECRET_KEY: 'another' }
  assert.match(
    await refusal(backUp(configOf(here.dir, wrong), `s3://${KEYS.bucket}/team/docs`)),
    /rejects GET with 403 \(SignatureDoesNotMatch\)/,
  )
  assert.match(await refusal(backUp(configOf(here.dir, env), 's3://absent/docs')), /bucket absent does not exist/)
  assert.match(await refusal(backUp(configOf(here.dir), `s3://${KEYS.bucket}`)), /Set BINDERY_BACKUP_STORE_ACCESS_KEY/)
  await s3.close()
  await here.close()
})

test('a backup with a damaged file of documents names it, and removes no older backup', async () => {
  const here = await startService()
  const target = join(here.dir, 'backups')
  const config = configOf(here.dir)
  await backUp(config, target)
  // A stop writes the checkpoints.
  await here.service.close()
  const folder = join('store', 'documents', 'organizations')
  const file = join(folder, (await readdir(join(config.dataDir, folder)))[0] ?? '')
  const path = join(config.dataDir, file)
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.slice(0, -20))
  const { problems, text: told, json } = await backup(config, inputOf(target, { keep: '1' }), tell)
  assert.is(problems, true)
  assert.match(told, file)
  assert.equal((json as { damaged: string[]; removed: number }).damaged, [file])
  assert.is((json as Result).removed, 0)
  await writeFile(path, text)
  assert.is((await backUp(config, target, { keep: '1' })).removed, 2)
  await rm(here.dir, { recursive: true, force: true })
})

/** All bytes of a folder. */
async function bytesIn(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name)))
  return Buffer.concat(await Promise.all(files))
}

test('an encrypted backup reveals nothing, needs its passphrase, and notices every change', async () => {
  const here = await startService()
  const target = join(here.dir, 'backups')
  const [file, other, short] = ['right', 'wrong', 'short'].map((name) => join(here.dir, name))
  await writeFile(file as string, 'correct horse battery staple\n')
  await writeFile(other as string, 'incorrect horse battery staple\n')
  await writeFile(short as string, 'short')
  const config = configOf(here.dir)
  await addSpace(here, 'Handbook')
  await backUp(config, target, { passphraseFile: file, verify: true })
  const plain = join(here.dir, 'plain')
  await backUp(config, plain)
  const key = await readFile(join(here.dir, 'data/signing-key'))
  assert.ok((await bytesIn(plain)).includes(key))
  assert.not.ok((await bytesIn(target)).includes(key))
  assert.match(await refusal(backUp(config, target, { passphraseFile: other })), /passphrase is not the one/)
  assert.match(await refusal(backUp(config, target)), /are encrypted. Name the file/)
  assert.match(await refusal(backUp(config, plain, { passphraseFile: file })), /are not encrypted/)
  assert.match(await refusal(backUp(config, join(here.dir, 'new'), { passphraseFile: short })), /fewer than 12/)
  const chunks = (await readdir(join(target, 'chunks'), { recursive: true })).filter((name) => name.includes('/'))
  const damaged = join(target, 'chunks', chunks[0] as string)
  const bytes = await readFile(damaged)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1
  await writeFile(damaged, bytes)
  const into = configOf(join(here.dir, 'into'))
  const passphrase = 'correct horse battery staple'
  assert.match(await refusal(restore(into, { target, passphrase, tell })), /was changed or is incomplete/)
  await stat(into.dataDir).then(
    () => assert.unreachable('a part was restored'),
    () => {},
  )
  await here.close()
})

test('a changed or missing chunk, a foreign path and a full folder stop a restore', async () => {
  const here = await startService()
  const target = join(here.dir, 'backups')
  const config = configOf(here.dir)
  await backUp(config, target)
  const into = configOf(join(here.dir, 'into'))
  const attempt = () => refusal(restore(into, { target, passphrase: null, tell }))
  const chunks = (await readdir(join(target, 'chunks'), { recursive: true })).filter((name) => name.includes('/'))
  const path = join(target, 'chunks', chunks[0] as string)
  const bytes = await readFile(path)
  await writeFile(path, Buffer.concat([bytes, Buffer.from('x')]))
  assert.match(await attempt(), /the chunk \w+ in .* was changed/)
  await rm(path)
  assert.match(await attempt(), /the chunk \w+ is missing/)
  await writeFile(path, bytes)
  const store = await BackupStore.open(openStorage(config, target), { passphrase: null })
  const snapshot = await store.getSnapshot()
  for (const foreign of ['data/../../evil', '/etc/evil', 'other/evil']) {
    const files = [{ ...(snapshot.files[0] as (typeof snapshot.files)[0]), path: foreign }]
    await store.addSnapshot({ ...snapshot, files })
    assert.match(await attempt(), /contains the path .*evil, which no backup has/)
  }
  await mkdir(into.dataDir, { recursive: true })
  await writeFile(join(into.dataDir, 'mine'), '')
  assert.match(await attempt(), /is not empty/)
  assert.match(await refusal(backUp(config, join(here.dir, 'into'))), /contains other files/)
  await here.close()
})

test('a plain copy is restored too, and verified', async () => {
  const here = await startService()
  const space = await addSpace(here, 'Plain')
  const target = join(here.dir, 'copy')
  await backUp(configOf(here.dir), target, { incremental: false, verify: true })
  const restored = await restoredService(target)
  await restored.admin.call('get', `/v1/spaces/${space}`).expect(200)
  await restored.close()
  assert.match(
    await refusal(backUp(configOf(here.dir), join(here.dir, 'other'), { incremental: false, keep: '3' })),
    /--keep is for incremental backups/,
  )
  await here.close()
})

test('a backup that is killed at any time leaves nothing that looks complete', async () => {
  const here = await startService()
  for (let n = 0; n < 20; n++) await addSpace(here, `Space ${n}`)
  const config = configOf(here.dir)
  const start = (...args: string[]) =>
    spawn(process.execPath, [...moduleArguments('../../src/main.js', import.meta.url), 'backup', ...args], {
      env: { ...process.env, BINDERY_DATA_DIR: config.dataDir, BINDERY_REPOS_DIR: config.reposDir },
      stdio: 'ignore',
    })
  const store = join(here.dir, 'backups')
  const copies = join(here.dir, 'copies')
  await mkdir(copies)
  let killed = 0
  for (let round = 0; round < 6; round++) {
    const args = round % 2 === 0 ? [store, '--incremental'] : [join(copies, `${round}`)]
    const child = start(...args)
    const ended = once(child, 'exit')
    const into = round % 2 === 0 ? join(store, 'chunks') : `${join(copies, `${round}`)}.partial`
    // It is killed after it has written some files: more in later rounds.
    const filesIn = async () => (await readdir(into, { recursive: true }).catch(() => [])).length
    while (child.exitCode === null && (await filesIn()) < 1 + round * 40)
      await new Promise((done) => setImmediate(done))
    child.kill('SIGKILL')
    const [code] = await ended
    if (code === null) killed++
  }
  assert.ok(killed > 2, `${killed} were killed`)
  const complete = (await readdir(copies)).filter((name) => !name.endsWith('.partial'))
  for (const name of complete) assert.equal(await checkAll(configOf(join(copies, name))), { complaints: [], notes: [] })
  const { backup: id } = await backUp(config, store)
  const opened = await BackupStore.open(openStorage(config, store), { passphrase: null })
  for (const one of await opened.listSnapshots()) {
    const dir = join(here.dir, `restored-${one}`)
    await restore(configOf(dir), { target: store, backup: one, passphrase: null, tell })
    assert.equal(await checkAll(configOf(dir)), { complaints: [], notes: [] })
  }
  assert.is((await opened.listSnapshots()).at(-1), id)
  await cp(store, join(here.dir, 'moved'), { recursive: true })
  assert.match((await listBackups(config, { target: join(here.dir, 'moved'), passphraseFile: undefined })).text, /\w/)
  await here.close()
})

test.run()
