import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import {
  GitError,
  NoRepository,
  openGit,
  type RefMove,
  RepositoryExists,
  UnsupportedRepository,
} from '../../../src/git/index.js'
import { FolderLocked } from '../../../src/disk/folder-lock.js'
import { Launcher } from '../../../src/git/process/launcher.js'
import type { RefName } from '../../../src/kernel/ids.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, MAIN, makePlace, openAt, processesOf } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

const [test, place] = await suiteWith('git lifecycle', makePlace, clear)
const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

test('a new repository is created once, in the form that Git expects', async () => {
  const repository = await place.git.create('fresh')
  assert.is(admin(repository, ['symbolic-ref', 'HEAD']), 'refs/heads/main')
  assert.is(admin(repository, ['rev-parse', '--is-bare-repository']), 'true')
  assert.is(admin(repository, ['config', 'core.fsync']), 'all')
  assert.instance(await thrown(place.git.create('fresh')), RepositoryExists)
  assert.is(await place.git.open('fresh'), repository)
  assert.equal(
    [await place.git.exists('fresh'), await place.git.exists('none'), await place.git.exists('../fresh')],
    [true, false, false],
  )
  for (const name of ['none', '', '..', '../x', 'a/b', '.git', 'x\0'])
    assert.instance(await thrown(place.git.open(name)), NoRepository)
})

test('SHA-256 and borrowed objects are rejected', async () => {
  execFileSync('git', ['init', '-q', '--bare', '--object-format=sha256', join(place.dir, 'sha.git')])
  assert.instance(await thrown(place.git.open('sha')), UnsupportedRepository)
  await place.git.create('lender')
  execFileSync(
    'git',
    ['clone', '-q', '--bare', '--shared', join(place.dir, 'lender.git'), join(place.dir, 'borrower.git')],
    { stdio: 'ignore' },
  )
  assert.instance(await thrown(place.git.open('borrower')), UnsupportedRepository)
})

test('a duplicate has the objects and the selected refs, and is independent', async () => {
  const source = await place.git.create('source')
  const head = await commit(source, [], { a: '1' })
  const keep = [
    'refs/heads/change-requests/1',
    'refs/bindery/keep/x',
    'refs/bindery/adopted',
    'refs/bindery/sync/k/1',
  ] as RefName[]
  await source.refs.move(
    [MAIN, ...keep].map((ref) => ({ ref: ref as RefName, from: null, to: head })),
    'start',
    anyLease,
  )
  admin(source, ['repack', '-q', '-a', '-d'])
  const next = await commit(source, [head], { b: '2' })
  await source.refs.move([{ ref: MAIN, from: head, to: next }], 'edit', anyLease)
  const copy = await place.git.duplicate('source', 'copy')
  assert.equal(
    [...(await copy.refs.list('refs/')).keys()],
    ['refs/bindery/adopted', 'refs/bindery/sync/k/1', 'refs/heads/main'],
  )
  assert.instance(await thrown(place.git.duplicate('source', 'copy')), RepositoryExists)
  const [pack] = readdirSync(join(copy.path, 'objects/pack')).filter((name) => name.endsWith('.pack'))
  assert.is(statSync(join(copy.path, 'objects/pack', pack as string)).nlink, 2)
  await place.git.remove('source')
  assert.not(existsSync(source.path))
  assert.equal(
    readdirSync(place.dir).filter((name) => /^\.(new|trash)-/.test(name)),
    [],
  )
  assert.equal(await copy.upkeep.check(), [])
  const more = await commit(copy, [next], { c: '3' })
  await copy.refs.move([{ ref: MAIN, from: next, to: more }], 'edit', anyLease)
  await copy.upkeep.maintain({ thorough: true })
  assert.is((await (await copy.objects.snapshot(more)).walk()).length, 3)
  assert.instance(
    await thrown(commit(source, [], { late: 'x' })),
    GitError,
    'a handle to what is removed creates nothing again',
  )
  assert.not(existsSync(source.path))
})

test('a folder of repositories belongs to one process, and another one is rejected', async () => {
  const options = { reposDir: join(place.dir, 'held'), maxBlobBytes: 1 << 20 }
  const first = await openGit(options)
  const building = join(options.reposDir, '.new-building')
  try {
    const repository = await first.create('space')
    const root = await commit(repository, [], { a: '1' })
    await repository.refs.move([{ ref: MAIN, from: null, to: root }], 'begin', anyLease)
    mkdirSync(building)
    writeFileSync(join(repository.path, 'refs/heads/main.lock'), `${root}\n`)
    writeFileSync(
      join(repository.path, 'bindery-moving'),
      JSON.stringify({ since: 0, moves: [{ ref: MAIN, from: null, to: root }] }),
    )
    const refused = await thrown(openGit(options))
    assert.instance(refused, FolderLocked)
    assert.match(String(refused), new RegExp(`held is in use by process ${process.pid} on .* Stop it first`))
    assert.ok(existsSync(building) && existsSync(join(repository.path, 'refs/heads/main.lock')))
  } finally {
    await first.close()
  }
  const second = await openGit(options)
  await second.open('space')
  assert.not(
    existsSync(building) || existsSync(join(options.reposDir, 'space.git/refs/heads/main.lock')),
    'what the first left is cleared when it is gone',
  )
  await second.close()
})

test('reads continue during a garbage collection', async () => {
  const repository = await place.git.create('packed')
  const head = await commit(repository, [], { a: '1', 'b/c': '2' })
  await repository.refs.move([{ ref: MAIN, from: null, to: head }], 'start', anyLease)
  const again = await openAt(place.dir)
  try {
    const other = await again.open('packed')
    assert.is((await (await other.objects.snapshot(head)).walk()).length, 2)
    await repository.upkeep.maintain({ thorough: true })
    const snapshot = await other.objects.snapshot(head)
    assert.is(String(await snapshot.read((await snapshot.entry('b/c'))?.oid ?? '')), '2')
  } finally {
    await again.close()
  }
})

test('a launcher whose process is killed fails its current work and starts a new process', async () => {
  const launcher = await Launcher.open()
  try {
    const running = await launcher.start('sleep', ['60'], { cwd: place.dir })
    process.kill(launcher.spawnerPid as number, 'SIGKILL')
    assert.match((await running.ended).failure ?? '', /spawning process/)
    assert.match(String(await launcher.mustRun(['version'], { cwd: place.dir })), /^git version/)
    assert.instance(await thrown(launcher.run(['cat-file', '--batch'], { cwd: join(place.dir, 'nowhere') })), GitError)
    const large = Buffer.alloc(3_000_000, 'x')
    const oid = String(
      await launcher.mustRun(['hash-object', '--stdin'], { cwd: join(place.dir, 'packed.git'), input: large }),
    ).trim()
    assert.is(oid, execFileSync('git', ['hash-object', '--stdin'], { input: large }).toString().trim())
    const late = await thrown(
      launcher.run(['-c', 'alias.wait=!sleep 60', 'wait'], { cwd: join(place.dir, 'packed.git'), timeoutMs: 200 }),
    )
    assert.match(String(late), /too long/)
  } finally {
    await launcher.close()
  }
})

test('operations on a repository continue after its processes were killed', async () => {
  const repository = await place.git.create('killed')
  const first = await commit(repository, [], { a: '1' })
  await repository.refs.move([{ ref: MAIN, from: null, to: first }], 'edit', anyLease)
  // A process makes the moves that delete a ref.
  const deleted = (name: string): RefMove => ({ ref: `refs/heads/${name}` as RefName, from: first, to: null })
  for (const name of ['x', 'y']) admin(repository, ['update-ref', `refs/heads/${name}`, first])
  await repository.refs.move([deleted('x')], 'edit', anyLease)
  const mine = processesOf(repository, 'update-ref')
  assert.is(mine.length, 1)
  process.kill(mine[0] as number, 'SIGKILL')
  const second = await commit(repository, [first], { a: '2' })
  await repository.refs.move([{ ref: MAIN, from: first, to: second }, deleted('y')], 'edit', anyLease)
  assert.is(repository.refs.head(MAIN), second)
})
test.run()
