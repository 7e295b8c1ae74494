import { mkdtemp, readdir, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { RemoteScratches } from '../../../src/git/monorepo/remote-scratches.js'
import { suite } from '../../support/suite.js'

const test = suite('scratch repositories of remotes')

const DAY_MS = 24 * 3_600_000
const use = { url: 'https://host.example/a.git', owner: 'one', timeoutMs: 60_000 }
const path = async (at: string): Promise<string> => at

test('different owners or remotes never share a scratch repository, and equal ones always do', async () => {
  const scratches = new RemoteScratches(await mkdtemp(join(tmpdir(), 'scratches-')), 1e9)
  const first = await scratches.use(use, path)
  assert.is(await scratches.use(use, path), first)
  assert.is.not(await scratches.use({ ...use, owner: 'two' }, path), first)
  assert.is.not(await scratches.use({ ...use, url: 'https://host.example/b.git' }, path), first)
})

test('one import at a time uses a scratch repository, even after a failure', async () => {
  const scratches = new RemoteScratches(await mkdtemp(join(tmpdir(), 'scratches-')), 1e9)
  const order: string[] = []
  let release: () => void = () => {}
  const gate = new Promise<void>((done) => (release = done))
  let begin: () => void = () => {}
  const begun = new Promise<void>((done) => (begin = done))
  const first = scratches
    .use(use, async () => {
      order.push('first')
      begin()
      await gate
      order.push('first ends')
      throw new Error('failed')
    })
    .catch(() => {})
  const second = scratches.use(use, async () => void order.push('second'))
  await begun
  await scratches.use({ ...use, owner: 'two' }, async () => void order.push('another'))
  await scratches.trim(Date.now() + 100 * DAY_MS)
  release()
  await Promise.all([first, second])
  assert.equal(order, ['first', 'another', 'first ends', 'second'])
})

test('a waiting import ends on a signal or a timeout, and no later one starts too early', async () => {
  const scratches = new RemoteScratches(await mkdtemp(join(tmpdir(), 'scratches-')), 1e9)
  const order: string[] = []
  let release: () => void = () => {}
  const gate = new Promise<void>((done) => (release = done))
  const first = scratches.use(use, async () => {
    await gate
    order.push('first ends')
  })
  const abort = new AbortController()
  const said = (kind: string) => (error: { kind?: string }) =>
    void order.push(error.kind === kind ? kind : String(error))
  const cancelled = scratches
    .use({ ...use, signal: abort.signal }, async () => void order.push('cancelled ran'))
    .catch(said('cancelled'))
  const impatient = scratches
    .use({ ...use, timeoutMs: 1 }, async () => void order.push('impatient ran'))
    .catch(said('timeout'))
  const last = scratches.use(use, async () => void order.push('last'))
  abort.abort()
  await cancelled
  await impatient
  assert.equal(order, ['cancelled', 'timeout'], 'while the first one still has it')
  await scratches.use({ ...use, signal: abort.signal }, path).catch(said('cancelled'))
  release()
  await Promise.all([first, last])
  assert.equal(order, ['cancelled', 'timeout', 'cancelled', 'first ends', 'last'])
})

test('scratch repositories are deleted after 30 days, or the oldest if all take too much space', async () => {
  const root = await mkdtemp(join(tmpdir(), 'scratches-'))
  const scratches = new RemoteScratches(root, 250_000)
  const now = Date.now()
  for (const [owner, days, bytes] of [
    ['old', 31, 10],
    ['large', 3, 200_000],
    ['small', 2, 100_000],
    ['new', 1, 100_000],
  ] as const) {
    const folder = await scratches.use({ ...use, owner }, path)
    await writeFile(join(folder, 'objects/pack/x'), Buffer.alloc(bytes))
    const used = (now - days * DAY_MS) / 1000
    await utimes(join(folder, 'HEAD'), used, used)
  }
  assert.is((await readdir(join(root, '.remotes'))).length, 4)
  await scratches.trim(now)
  const kept = await Promise.all(
    (await readdir(join(root, '.remotes'))).map(
      async (name) => (await readdir(join(root, '.remotes', name, 'objects/pack'))).length,
    ),
  )
  assert.equal(kept, [1, 1], 'the new and the small one')
})

test.run()
