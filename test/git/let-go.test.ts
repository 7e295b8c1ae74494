import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as assert from 'uvu/assert'
import { OpenRepositories } from '../../src/git/open-repositories.js'
import type { CommitId } from '../../src/kernel/ids.js'
import { MemoryBudget } from '../../src/kernel/memory-budget.js'
import { suite } from '../support/suite.js'
import { admin, clear, commit, makePlace, openAt } from './fixture.js'

// @own-process: it measures the heap
const test = suite('memory that Git data releases')
setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

test('ancestry agrees with Git without a memory budget and with one that runs out', async () => {
  for (const bytes of [1, 30_000]) {
    const budget = new MemoryBudget(bytes)
    const place = await makePlace({ budget })
    const repository = await place.git.create('space')
    const line: CommitId[] = [await commit(repository, [], { a: '0' })]
    for (let n = 1; n < 90; n++) line.push(await commit(repository, [line[n - 1] as CommitId], { a: String(n) }))
    const side = await commit(repository, [line[40] as CommitId], { b: '1' })
    const merge = await commit(repository, [line[60] as CommitId, side], { c: '1' })
    // All at once, so that one query releases data while another one uses it.
    const asked = line.flatMap(
      (id) =>
        [
          repository.history.isAncestor(id, merge),
          repository.history.mergeBase(id, merge),
          repository.history.firstParents(id),
        ] as const,
    )
    const results = await Promise.all(asked)
    for (const [n, id] of line.entries()) {
      assert.equal([results[3 * n], results[3 * n + 1]], [n <= 60, n <= 60 ? id : line[60]])
      assert.is((results[3 * n + 2] as CommitId[]).length, n + 1)
    }
    assert.equal(await repository.history.aheadBehind(line[89] as CommitId, merge), { ahead: 29, behind: 2 })
    assert.is(admin(repository, ['merge-base', line[89] as string, merge]), line[60])
    assert.ok(budget.used <= bytes)
    await clear(place)
  }
})

test('a repository is opened once while in use, and closed when unused', async () => {
  const open = new OpenRepositories<{ name: string }>()
  let opened = 0
  const get = (name: string) => open.get(name, async () => ({ name, n: opened++ }))
  const held = await get('held')
  for (let n = 0; n < 2_000; n++) await get(`r${n}`)
  assert.is(await get('held'), held)
  assert.is(await open.forget('held'), held)
  assert.not(held === (await get('held')))
  for (let n = 0; n < 20; n++) {
    gc()
    await new Promise((done) => setTimeout(done, 5))
  }
  assert.ok((await open.all()).length <= 500, `${(await open.all()).length} are open`)
  const [one, two] = await Promise.all([get('twice'), get('twice')])
  assert.is(one, two)
  let failures = 0
  const failing = () => open.get('broken', async () => Promise.reject(new Error(String(failures++))))
  for (let n = 0; n < 2; n++)
    await failing().then(
      () => assert.unreachable(),
      (error: Error) => assert.is(error.message, String(n)),
    )
})

test('an open, idle repository takes almost no memory', async () => {
  const place = await makePlace()
  const OPEN = 100
  for (let n = 0; n < OPEN; n++) await place.git.create(`r${n}`)
  const held: unknown[] = []
  const again = await openAt(place.dir)
  const taken = (): number => {
    gc()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = taken()
  for (let n = 0; n < OPEN; n++) held.push(await again.open(`r${n}`))
  const each = (taken() - before) / held.length
  await again.close()
  await clear(place)
  assert.ok(each < 50_000, `${Math.round(each)} bytes each`)
})

test.run()
