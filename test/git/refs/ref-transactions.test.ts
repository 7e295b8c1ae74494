import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { type Git, GitError, type RefMove, type Repository } from '../../../src/git/index.js'
import { type Disk, disk } from '../../../src/git/objects/disk.js'
import type { CommitId, RefName } from '../../../src/kernel/ids.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, MAIN, makePlace, openAt } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

const [test, place] = await suiteWith('ref transactions without a process', makePlace, clear)
let count = 0
const branch = (name: string): RefName => `refs/heads/${name}` as RefName
const setTo = (name: string, from: CommitId | null, to: CommitId | null): RefMove => ({ ref: branch(name), from, to })
const locksOf = (repository: { path: string }): string[] =>
  (readdirSync(repository.path, { recursive: true }) as string[]).filter((name) => name.endsWith('.lock'))
const refsOf = (repository: { path: string }): string =>
  admin(repository, ['for-each-ref', '--format=%(objectname) %(refname)'])

async function begun(git: Git = place.git, commits = 4): Promise<{ repository: Repository; ids: CommitId[] }> {
  const repository = await git.create(`r${++count}`)
  const ids: CommitId[] = []
  for (let n = 0; n < commits; n++) ids.push(await commit(repository, [], { x: String(n) }))
  return { repository, ids }
}

test('new refs and new values need no process and leave the reflogs of Git', async () => {
  const { repository, ids } = await begun()
  const [a, b, c] = ids as [CommitId, CommitId, CommitId]
  const before = place.git.processesStarted
  await repository.refs.move([setTo('main', null, a)], 'create space', anyLease)
  await repository.refs.move(
    [setTo('main', a, b), setTo('change-requests/1', null, b)],
    'merge change request 1: "x"',
    anyLease,
  )
  admin(repository, ['pack-refs', '--all', '--prune'])
  await repository.refs.move([setTo('main', b, c)], 'edit content', anyLease)
  await repository.refs.move([{ ref: 'refs/bindery/keep/1' as RefName, from: null, to: a }], 'keep', anyLease)
  assert.is(place.git.processesStarted, before)
  const log = (ref: string): string => admin(repository, ['reflog', 'show', '--format=%H %gn <%ge> %gs', ref])
  const lines = [
    `${c} Bindery <bindery@localhost> bindery: edit content`,
    `${b} Bindery <bindery@localhost> bindery: merge change request`,
  ]
  assert.is(log('main'), [...lines, `${a} Bindery <bindery@localhost> bindery: create space`].join('\n'))
  assert.is(log('HEAD'), log('main'))
  assert.is(log('change-requests/1').split('\n').length, 1)
  assert.not(existsSync(join(repository.path, 'logs/refs/bindery/keep/1')))
  assert.match(
    readFileSync(join(repository.path, 'logs/refs/heads/main'), 'utf8'),
    new RegExp(`^${'0'.repeat(40)} ${a} Bindery <bindery@localhost> \\d{10} \\+0000\tbindery: create space\n`),
  )
  assert.equal(locksOf(repository), [])
  assert.equal(await repository.upkeep.check(), [])
})

test('a ref that is damaged during a move leaves no lock, and moves once it is repaired', async () => {
  const { repository: made, ids } = await begun()
  const [a, b] = ids as [CommitId, CommitId]
  await made.refs.move([setTo('main', null, a)], 'begin', anyLease)
  const path = join(made.path, branch('main'))
  const damaging: Disk = {
    ...disk,
    async open(file, flags, mode) {
      const opened = await disk.open(file, flags, mode)
      if (file.endsWith('main.lock')) writeFileSync(path, '')
      return opened
    },
  }
  const other = await openAt(place.dir, { disk: damaging })
  const repository = await other.open(basename(made.path, '.git'))
  const error = await repository.refs.move([setTo('main', a, b)], 'edit', anyLease).catch((thrown: unknown) => thrown)
  assert.match(String(error), /damaged/)
  assert.equal(locksOf(repository), [])
  await other.close()
  writeFileSync(path, `${a}\n`)
  await made.refs.move([setTo('main', a, b)], 'edit', anyLease)
  assert.is(made.refs.head(MAIN), b)
})

/** The outcome of a move by Git alone, with the same old values. */
function byGit(repository: Repository, moves: readonly RefMove[]): boolean {
  const zero = '0'.repeat(40)
  const line = ({ ref, from, to }: RefMove): string =>
    to === null ? `delete ${ref} ${from ?? zero}` : `update ${ref} ${to} ${from ?? zero}`
  try {
    admin(repository, ['update-ref', '--stdin'], `start\n${moves.map(line).join('\n')}\nprepare\ncommit\n`)
    return true
  } catch {
    return false
  }
}

test('transactions have the same results as git update-ref', async () => {
  const names = fc.constantFrom('main', 'a', 'a/b', 'a/b/c', 'a/d', 'e')
  const move = fc.record({ name: names, to: fc.integer({ min: -1, max: 3 }), stale: fc.integer({ min: 0, max: 9 }) })
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.uniqueArray(move, { minLength: 1, maxLength: 3, selector: ({ name }) => name }) },
    { weight: 1, arbitrary: fc.constant('pack' as const) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const { repository, ids } = await begun()
      const twin = await place.git.duplicate(`r${count}`, `twin${count}`)
      for (const one of steps) {
        if (one === 'pack') {
          for (const each of [repository, twin]) admin(each, ['pack-refs', '--all'])
          continue
        }
        const moves = one.map(
          ({ name, to, stale }): RefMove =>
            setTo(name, stale === 0 ? (ids[3] as CommitId) : repository.refs.head(branch(name)), ids[to] ?? null),
        )
        if (moves.some(({ from, to }) => from === null && to === null)) continue
        const done = await repository.refs.move(moves, 'edit', anyLease).then(
          () => true,
          (error) => {
            assert.instance(error, GitError)
            return false
          },
        )
        assert.is(done, byGit(twin, moves), JSON.stringify(moves))
        assert.is(refsOf(repository), refsOf(twin))
        assert.equal(locksOf(repository), [])
      }
    }),
    { numRuns: 12, seed: 7 },
  )
})

test('a symbolic ref is moved like in Git, and a lock of HEAD is respected', async () => {
  const { repository, ids } = await begun()
  const [a, b, c] = ids as [CommitId, CommitId, CommitId]
  await repository.refs.move([setTo('main', null, a)], 'edit', anyLease)
  admin(repository, ['symbolic-ref', 'refs/heads/alias', 'refs/heads/main'])
  await repository.refs.move([setTo('alias', a, b)], 'edit', anyLease)
  assert.is(admin(repository, ['symbolic-ref', 'refs/heads/alias']), 'refs/heads/main')
  assert.is(repository.refs.head(MAIN), b)
  writeFileSync(join(repository.path, 'HEAD.lock'), '')
  const failed = await repository.refs.move([setTo('main', b, c)], 'edit', anyLease).catch((error) => error)
  assert.match(String(failed), /HEAD\.lock/)
  assert.equal(locksOf(repository), ['HEAD.lock'])
  assert.is(repository.refs.head(MAIN), b)
})

/** A disk that stops at its `last` operation, before or after doing it, as if the process were killed there. */
function stoppingDisk() {
  let left = Number.POSITIVE_INFINITY
  let doesLast = false
  let tell: () => void = () => {}
  const held: ((error: Error) => void)[] = []
  let over = false
  // Work that was being stopped during the kill fails with the rest.
  const hold = <T>(): Promise<T> => new Promise((_, reject) => (over ? reject(new Error('killed')) : held.push(reject)))
  const gate = async <T>(work: () => Promise<T>): Promise<T> => {
    left--
    if (left > 0) return work()
    if (left === 0) {
      if (doesLast) await work().catch(() => {})
      tell()
    }
    return hold()
  }
  const stopping = Object.fromEntries(
    Object.entries(disk).map(([name, work]) => [name, (...args: unknown[]) => gate(() => (work as any)(...args))]),
  ) as unknown as Disk
  const stopAt = (last: number, after: boolean): Promise<void> => {
    left = last
    doesLast = after
    return new Promise((done) => {
      tell = done
    })
  }
  const goOn = (): void => {
    over = true
    left = Number.POSITIVE_INFINITY
    for (const fail of held.splice(0)) fail(new Error('killed'))
  }
  const pass = (): void => void (left = Number.POSITIVE_INFINITY)
  return { stopping, stopAt, pass, goOn }
}

test('a kill at any point leaves the old or the new values, and no lock after a restart', async () => {
  const { stopping, stopAt, pass, goOn } = stoppingDisk()
  const killed = await openAt(place.dir, { disk: stopping })
  const next = await openAt(place.dir)
  let ended = false
  let half = 0
  for (let at = 2; !ended; at++) {
    const [last, after] = [at >> 1, at % 2 === 1]
    const { repository, ids } = await begun(killed, 2)
    const [a, b] = ids as [CommitId, CommitId]
    await repository.refs.move([setTo('main', null, a)], 'edit', anyLease)
    const stopped = stopAt(last, after)
    const moved = repository.refs.move([setTo('main', a, b), setTo('new/one', null, b)], 'edit', anyLease)
    ended = await Promise.race([moved.then(() => true), stopped.then(() => false)])
    moved.catch(() => {})
    pass()
    const again = await next.open(`r${count}`)
    assert.equal(locksOf(again), [], `stopped ${after ? 'after' : 'before'} operation ${last}`)
    const [main, other] = [again.refs.head(MAIN), again.refs.head(branch('new/one'))]
    assert.ok(main === a || main === b)
    assert.ok(other === null || other === b)
    if ((main === b) !== (other === b)) half++
    const left = [...(main === a ? [setTo('main', a, b)] : []), ...(other === null ? [setTo('new/one', null, b)] : [])]
    await again.refs.move(left, 'edit', anyLease)
    assert.is(refsOf(again), `${b} refs/heads/main\n${b} refs/heads/new/one`)
  }
  assert.ok(half > 0, 'some kills came between the two refs')
  goOn()
  await killed.close()
  await next.close()
})
test.run()
