import { mkdirSync, writeFileSync, existsSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { GitError, MissingObject, RefLocked, StaleRef } from '../../../src/git/index.js'
import { isRefName } from '../../../src/git/refs/name.js'
import type { CommitId, RefName } from '../../../src/kernel/ids.js'
import { git as runGit } from '../../support/hermetic-git.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, MAIN, makePlace, openAt } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

const [test, place] = await suiteWith('git refs', makePlace, clear)

async function rejection(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: Error) => error,
  )
}
const branch = (name: string): RefName => `refs/heads/${name}` as RefName

test('a move is a compare-and-swap, and several refs move together or not at all', async () => {
  const repository = await place.git.create('cas')
  const [a, b] = [await commit(repository, [], { x: '1' }), await commit(repository, [], { x: '2' })]
  await repository.refs.move([{ ref: MAIN, from: null, to: a }], 'start', anyLease)
  const stale = await rejection(repository.refs.move([{ ref: MAIN, from: b, to: a }], 'edit', anyLease))
  assert.instance(stale, StaleRef)
  assert.is((stale as StaleRef).actual, a)
  assert.instance(
    await rejection(
      repository.refs.move(
        [
          { ref: branch('change-requests/1'), from: null, to: b },
          { ref: MAIN, from: null, to: b },
        ],
        'edit',
        anyLease,
      ),
    ),
    StaleRef,
  )
  assert.is(repository.refs.head(branch('change-requests/1')), null)
  await repository.refs.move(
    [
      { ref: branch('change-requests/1'), from: null, to: b },
      { ref: MAIN, from: a, to: b },
    ],
    'edit: two',
    anyLease,
  )
  assert.equal(
    [...(await repository.refs.list('refs/heads/'))],
    [
      [branch('change-requests/1'), b],
      [MAIN, b],
    ],
  )
  await repository.refs.move([{ ref: branch('change-requests/1'), from: b, to: null }], 'delete', anyLease)
  assert.is(repository.refs.head(branch('change-requests/1')), null)
  assert.instance(
    await rejection(repository.refs.move([{ ref: MAIN, from: b, to: '1'.repeat(40) as CommitId }], 'edit', anyLease)),
    MissingObject,
  )
  assert.match(admin(repository, ['reflog', 'show', 'main']), /bindery: edit/)
})

test("the admin and the service see each other's ref moves immediately, loose and packed", async () => {
  const repository = await place.git.create('admin')
  let head: CommitId | null = null
  for (let round = 0; round < 12; round++) {
    const next = await commit(repository, head ? [head] : [], { x: String(round) })
    await repository.refs.move([{ ref: MAIN, from: head, to: next }], 'edit', anyLease)
    if (round % 3 === 0) admin(repository, ['pack-refs', '--all', '--prune'])
    assert.is(repository.refs.head(MAIN), next)
    const his = admin(repository, ['commit-tree', '-p', next, '-m', 'his', `${next}^{tree}`]) as CommitId
    admin(repository, ['update-ref', MAIN, his])
    assert.is(repository.refs.head(MAIN), his)
    if (round % 2 === 0) admin(repository, ['pack-refs', '--all', '--prune'])
    assert.is(repository.refs.head(MAIN), his)
    head = his
  }
  admin(repository, ['update-ref', '-d', MAIN])
  assert.is(repository.refs.head(MAIN), null)
})

test('a long unchanged ref is read again after a change, even with a restored file time', async () => {
  const repository = await place.git.create('settled')
  const [a, b] = [await commit(repository, [], { x: '1' }), await commit(repository, [], { x: '2' })]
  await repository.refs.move([{ ref: MAIN, from: null, to: a }], 'start', anyLease)
  const file = join(repository.path, MAIN)
  // The time for which a file must be unchanged depends on the time resolution of the file system.
  for (const pause of [150, 2600]) {
    await sleep(pause)
    const before = repository.refs.head(MAIN)
    for (let i = 0; i < 3; i++) assert.is(repository.refs.head(MAIN), before)
    const { atime, mtime } = statSync(file)
    for (const now of [b, a, b]) {
      writeFileSync(file, `${now}\n`)
      utimesSync(file, atime, mtime)
      assert.is(repository.refs.head(MAIN), now)
    }
  }
  rmSync(file)
  assert.is(repository.refs.head(MAIN), null)
})

test('fifty writers lose nothing while an admin writes, packs and collects', async () => {
  const repository = await place.git.create('race')
  const start = await commit(repository, [], { start: 'x' })
  await repository.refs.move([{ ref: MAIN, from: null, to: start }], 'start', anyLease)
  const acknowledged: string[] = []
  let writing = true
  const git = (...args: string[]) => runGit(repository.path, args).catch(() => null)
  const adminWrites = async () => {
    while (writing) {
      const old = await git('rev-parse', MAIN)
      const next = old && (await git('commit-tree', '-p', old, '-m', 'admin', `${old}^{tree}`))
      if (old && next && (await git('update-ref', MAIN, next, old)) !== null) acknowledged.push(next)
      await sleep(100)
    }
  }
  const adminTidies = async () => {
    for (let round = 0; writing; round++) {
      await git(...(round % 8 === 3 ? ['gc', '--quiet'] : ['pack-refs', '--all']))
      await sleep(100)
    }
  }
  const writer = async (n: number) => {
    for (;;) {
      const from = repository.refs.head(MAIN) as CommitId
      const to = await commit(repository, [from], { [`w/${n}.md`]: `writer ${n}` })
      try {
        await repository.refs.move([{ ref: MAIN, from, to }], 'edit', anyLease)
        acknowledged.push(to)
        return
      } catch (error) {
        if (!(error instanceof StaleRef)) throw error
        await sleep(Math.random() * 300)
      }
    }
  }
  const admins = [adminWrites(), adminTidies()]
  await Promise.all(Array.from({ length: 50 }, (_, n) => writer(n)))
  writing = false
  await Promise.all(admins)
  const reachable = new Set(admin(repository, ['rev-list', MAIN]).split('\n'))
  assert.equal(
    acknowledged.filter((id) => !reachable.has(id)),
    [],
  )
  assert.is((await (await repository.objects.snapshot(repository.refs.head(MAIN) as CommitId)).list('w'))?.length, 50)
  assert.equal(await repository.upkeep.check(), [])
})

test('the service waits for a temporary lock and reports a permanent one', async () => {
  const repository = await place.git.create('locked')
  const a = await commit(repository, [], { x: '1' })
  const lock = join(repository.path, `${MAIN}.lock`)
  writeFileSync(lock, '')
  const moving = repository.refs.move([{ ref: MAIN, from: null, to: a }], 'start', anyLease)
  await sleep(300)
  rmSync(lock)
  await moving
  assert.is(repository.refs.head(MAIN), a)
  const b = await commit(repository, [a], { x: '2' })
  writeFileSync(lock, '')
  const error = await rejection(repository.refs.move([{ ref: MAIN, from: a, to: b }], 'edit', anyLease))
  assert.instance(error, RefLocked)
  assert.equal((error as RefLocked).locks, [`${MAIN}.lock`])
  assert.ok(existsSync(lock))
  rmSync(lock)
  await repository.refs.move([{ ref: MAIN, from: a, to: b }], 'edit', anyLease)
})

test('the next start removes the files of a killed pack-refs, and refs can be packed again', async () => {
  const repository = await place.git.create('half-packed')
  const head = await commit(repository, [], { x: '1' })
  const refs = [MAIN, branch('one'), branch('two')]
  await repository.refs.move(
    refs.map((ref) => ({ ref, from: null, to: head })),
    'start',
    anyLease,
  )
  await repository.upkeep.maintain({ thorough: true })
  const left = ['packed-refs.lock', 'packed-refs.new', `${MAIN}.lock`].map((name) => join(repository.path, name))
  writeFileSync(
    join(repository.path, 'bindery-moving'),
    JSON.stringify({ since: Date.now(), moves: [], packing: true }),
  )
  for (const path of left) writeFileSync(path, path.endsWith('.new') ? '# pack-refs with: peeled' : '')
  const notices: string[] = []
  const again = await openAt(place.dir, { notice: (message) => notices.push(message) })
  try {
    const reopened = await again.open('half-packed')
    assert.equal(
      [notices, left.filter((path) => existsSync(path)), existsSync(join(repository.path, 'bindery-moving'))],
      [[], [], false],
    )
    await reopened.refs.move([{ ref: branch('two'), from: head, to: null }], 'delete', anyLease)
    await reopened.upkeep.maintain({ thorough: true })
    assert.is(reopened.refs.head(branch('two')), null)
  } finally {
    await again.close()
  }
})

test('a packed-refs lock of another process stays and is reported', async () => {
  const repository = await place.git.create('half-packed-by-others')
  const head = await commit(repository, [], { x: '1' })
  await repository.refs.move([{ ref: MAIN, from: null, to: head }], 'start', anyLease)
  writeFileSync(join(repository.path, 'packed-refs.new'), '# pack-refs')
  const notices: string[] = []
  const again = await openAt(place.dir, { notice: (message) => notices.push(message) })
  try {
    await again.open('half-packed-by-others')
    assert.match(notices.join(' '), /packed-refs\.new exists/)
    assert.ok(existsSync(join(repository.path, 'packed-refs.new')))
  } finally {
    await again.close()
  }
})

test("the next start removes the service's stale lock and reports locks of others", async () => {
  const repository = await place.git.create('stale')
  const [a, b] = [await commit(repository, [], { x: '1' }), await commit(repository, [], { x: '2' })]
  await repository.refs.move([{ ref: MAIN, from: null, to: a }], 'start', anyLease)
  const moves = [
    { ref: MAIN, from: a, to: b },
    { ref: branch('other'), from: null, to: b },
  ]
  writeFileSync(join(repository.path, 'bindery-moving'), JSON.stringify({ since: Date.now(), moves }))
  writeFileSync(join(repository.path, `${MAIN}.lock`), `${b}\n`)
  writeFileSync(join(repository.path, 'refs/heads/other.lock'), `${a}\n`)
  mkdirSync(join(repository.path, 'refs/heads/deep'))
  writeFileSync(join(repository.path, 'refs/heads/deep/admin.lock'), '')
  const notices: string[] = []
  const again = await openAt(place.dir, { notice: (message) => notices.push(message) })
  try {
    const reopened = await again.open('stale')
    assert.is(notices.length, 2)
    assert.match(notices.join(' '), /deep\/admin\.lock.*other\.lock/)
    await reopened.refs.move([{ ref: MAIN, from: a, to: b }], 'edit', anyLease)
    assert.is(reopened.refs.head(MAIN), b)
  } finally {
    await again.close()
  }
})

test('ref names are validated like git check-ref-format', async () => {
  const repository = await place.git.create('names')
  const names = [
    'refs/heads/a',
    'refs/heads/a.lock',
    'refs/heads/.a',
    'refs/heads/a..b',
    'refs/heads/a b',
    'refs/heads/a~',
    'refs/heads/a^',
    'refs/heads/a:',
    'refs/heads/a?',
    'refs/heads/a*',
    'refs/heads/a[',
    'refs/heads/a\\',
    'refs/heads/a/',
    'refs/heads//a',
    'refs/heads/a.',
    'refs/heads/@{x',
    'refs/heads/@',
    'refs/heads/ü',
    'refs/heads/-x',
    'refs/heads/a\x7f',
    'refs/heads/a.lock/b',
    'refs/bindery/keep/1',
  ]
  for (const name of names) {
    let valid = true
    try {
      admin(repository, ['check-ref-format', name])
    } catch {
      valid = false
    }
    assert.is(isRefName(name), valid, name)
  }
  for (const name of ['HEAD', 'refs/x', '../refs/heads/a', 'config', '']) assert.not(isRefName(name))
  assert.is(repository.refs.head('refs/../config' as RefName), null)
  const a = await commit(repository, [], { x: '1' })
  assert.instance(
    await rejection(
      repository.refs.move([{ ref: 'refs/heads/a\nupdate x' as RefName, from: null, to: a }], 'edit', anyLease),
    ),
    GitError,
  )
})
test.run()
