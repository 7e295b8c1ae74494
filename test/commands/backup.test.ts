import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { backUp } from '../../src/commands/backup.js'
import { changeRequests, spaces as spaceTable } from '../../src/model/index.js'
import { changeRequestRef, MAIN, repositoryName } from '../../src/domain/context/refs.js'
import type { CommitId } from '../../src/kernel/ids.js'
import { createLog } from '../../src/kernel/log.js'
import { git } from '../support/hermetic-git.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

// @embedded-only: plain-git
const test = suite<object>('backup')

const configOf = (dir: string) => ({ dataDir: join(dir, 'data'), reposDir: join(dir, 'repos'), databaseUrl: null })
/**
 * Large enough (40 KB) that tens of change requests make the store write a checkpoint, which happens after every 8
 * MiB of log.
 */
const LARGE = '📖'.repeat(10_000)

/** Clients that edit, open change requests and merge them until they are stopped. */
function busy(here: TestService, spaces: readonly string[]) {
  let stopped = false
  let merged = 0
  const client = async (space: string): Promise<void> => {
    for (let n = 1; !stopped; n++) {
      const call = (method: 'post' | 'patch', path: string, body: unknown, status: number) =>
        here.admin.call(method, `/v1/spaces/${space}${path}`, body).expect(status)
      const changes = (title: string) => ({
        changes: [{ operation: 'insert_page', title, document: { markdown: `Words of ${title}.` } }],
        message: title,
      })
      await call('post', '/content', changes(`Main ${n}`), 200)
      const { body: request } = await call(
        'post',
        '/change-requests',
        { subject: `Request ${n}`, description: LARGE },
        201,
      )
      for (const subject of ['Two', 'Three', 'Four'])
        await call('patch', `/change-requests/${request.id}`, { subject }, 200)
      await call('post', `/change-requests/${request.id}/content`, changes(`Branch ${n}`), 200)
      if (n % 3 === 0) continue
      await call('post', `/change-requests/${request.id}/merge`, {}, 200)
      merged++
      if (n % 2 === 0) await git(join(here.dir, 'repos', `${space}.git`), ['pack-refs', '--all'])
      if (n % 4 === 0) await git(join(here.dir, 'repos', `${space}.git`), ['repack', '-a', '-d', '-q'])
    }
  }
  const clients = Promise.all(spaces.map(client))
  const merges = async (count: number): Promise<void> => {
    while (merged < count) await new Promise((done) => setTimeout(done, 10))
  }
  return {
    /** Resolves when this many change requests were merged. Rejects if a client failed. */
    merges: (count: number) => Promise.race([merges(count), clients]),
    stop: async () => {
      stopped = true
      await clients
    },
  }
}

/** Lists commits that documents name but repositories lack, and the complaints of Git. */
async function missingObjects({ service: { app } }: TestService): Promise<string[]> {
  const missing: string[] = []
  for (const space of await app.store.all(spaceTable)) {
    const repo = await app.git.open(repositoryName(space.id))
    const named = new Set<string>([repo.refs.head(MAIN) as string])
    for (const { number, revisionInitial, revisionMerged } of await app.store.find(changeRequests, 'space', space.id))
      for (const one of [revisionInitial, revisionMerged, repo.refs.head(changeRequestRef(number))])
        if (one) named.add(one)
    for (const commit of named) if (!(await repo.objects.hasCommit(commit))) missing.push(`${space.id} ${commit}`)
    for (const line of await repo.upkeep.check()) missing.push(`${space.id} ${line}`)
    await repo.history.log({ from: repo.refs.head(MAIN) as CommitId })
  }
  return missing
}

test('a backup during edits and merges contains everything that its documents refer to', async () => {
  let checkpoints = 0
  const log = createLog({
    level: 'info',
    destination: { write: (line) => void (checkpoints += line.includes('store: checkpoint') ? 1 : 0) },
  })
  const here = await startService({ overrides: { log } })
  const copies = await mkdtemp(join(tmpdir(), 'backups-'))
  try {
    const spaces: string[] = []
    for (let n = 0; n < 4; n++)
      spaces.push(
        (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: `Space ${n}` }).expect(201))
          .body.id,
      )
    const clients = busy(here, spaces)
    for (let n = 1; n <= 3; n++) {
      await clients.merges(10 * n)
      await backUp(configOf(here.dir), join(copies, `${n}`))
    }
    await clients.stop()
    assert.ok(checkpoints > 0, 'a checkpoint was written while the copies were made')
    for (let n = 1; n <= 3; n++) {
      const restored = await startService({ dir: join(copies, `${n}`) })
      assert.equal(
        restored.service.repairs.filter(({ damage }) => damage),
        [],
      )
      assert.equal(await missingObjects(restored), [])
      const { body } = await restored.admin.call('get', `/v1/orgs/${here.organization}/spaces`).expect(200)
      assert.is(body.items.length, 4)
      for (const space of spaces) {
        const { body: request } = await restored.admin
          .call('post', `/v1/spaces/${space}/change-requests`, { subject: 'After the restore' })
          .expect(201)
        await restored.admin.call('post', `/v1/spaces/${space}/change-requests/${request.id}/merge`, {})
      }
      await restored.close()
    }
  } finally {
    await here.close()
    await rm(copies, { recursive: true, force: true })
  }
})

test('a backup keeps secrets private and never overwrites a folder', async () => {
  const here = await startService()
  const copy = join(here.dir, 'copy')
  try {
    await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'pdf' }).expect(201)
    await backUp(configOf(here.dir), copy)
    assert.is(
      await readFile(join(copy, 'data/signing-key'), 'utf8'),
      await readFile(join(here.dir, 'data/signing-key'), 'utf8'),
    )
    assert.is((await stat(join(copy, 'data/signing-key'))).mode & 0o777, 0o600)
    assert.is((await stat(join(copy, 'data'))).mode & 0o777, 0o700)
    let refused = ''
    await backUp(configOf(here.dir), copy).catch((error: Error) => (refused = error.message))
    assert.match(refused, /exists. Name a folder that does not exist/)
  } finally {
    await here.close()
  }
})

test.run()
