import * as assert from 'uvu/assert'
import type { RefMove, Repository } from '../../../src/git/index.js'
import type { RefName } from '../../../src/kernel/ids.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, MAIN, makePlace, processesOf } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

const [test, place] = await suiteWith('a Git process that hangs', () => makePlace({ maxSilenceMs: 500 }), clear)

/** Stops the processes of a repository whose arguments contain `word`. Returns their number. */
function freeze(repository: Repository, word: string): number {
  const mine = processesOf(repository, word)
  for (const pid of mine) process.kill(pid, 'SIGSTOP')
  return mine.length
}

test('a process that hangs is replaced, and reads, merges, diffs and moves continue', async () => {
  const repository = await place.git.create('space')
  const lines = 'line\n'.repeat(30)
  const root = await commit(repository, [], { a: lines, b: 'b' })
  await repository.refs.move([{ ref: MAIN, from: null, to: root }], 'edit', anyLease)
  // Both change one file, which a process merges.
  const sides = await Promise.all([
    commit(repository, [root], { b: 'new\nb', c: '1' }),
    commit(repository, [root], { a: null, d: lines, b: 'b\nnew' }),
  ])
  const [ours, theirs] = sides
  const merged = await repository.trees.merge({ ours, theirs })
  const renamed = await repository.trees.diff(root, theirs, { renames: true })
  admin(repository, ['repack', '-q', '-a', '-d'])
  admin(repository, ['prune-packed'])
  const other = await place.git.open('space')
  // Small objects in packs are read without a process.
  const text = 'only packed'.repeat(30_000)
  const blob = admin(repository, ['hash-object', '-w', '--stdin'], text)
  const pack = admin(repository, ['pack-objects', '-q', 'objects/pack/pack'], `${blob}\n`)
  assert.ok(pack)
  admin(repository, ['prune-packed'])
  assert.is(String(await repository.objects.tree(merged.tree).read(blob)), text)

  assert.is(freeze(repository, 'merge-tree'), 1)
  assert.equal(await repository.trees.merge({ ours, theirs }), merged)
  assert.is(freeze(repository, 'diff-tree'), 1)
  assert.equal(await repository.trees.diff(root, theirs, { renames: true }), renamed)
  assert.is(freeze(repository, 'cat-file'), 1)
  const large = admin(repository, ['hash-object', '-w', '--stdin'], Buffer.alloc(300_000, 'x'))
  admin(repository, ['pack-objects', '-q', 'objects/pack/pack'], `${large}\n`)
  admin(repository, ['prune-packed'])
  assert.is((await other.objects.tree(merged.tree).read(large)).length, 300_000)

  // A process makes the moves that delete a ref.
  const deleted = (name: string): RefMove => ({ ref: `refs/heads/${name}` as RefName, from: root, to: null })
  for (const name of ['x', 'y', 'z']) admin(repository, ['update-ref', `refs/heads/${name}`, root])
  await repository.refs.move([deleted('x')], 'edit', anyLease)
  const before = admin(repository, ['reflog', 'show', '--format=%H', MAIN]).split('\n').length
  assert.is(freeze(repository, 'update-ref'), 1)
  await repository.refs.move([{ ref: MAIN, from: root, to: ours }, deleted('y')], 'edit', anyLease)
  assert.is(repository.refs.head(MAIN), ours)
  assert.is(admin(repository, ['reflog', 'show', '--format=%H', MAIN]).split('\n').length, before + 1, 'moved once')
  assert.is(freeze(repository, 'update-ref'), 1)
  const after = await commit(repository, [ours], { e: 'e' })
  await repository.refs.move([{ ref: MAIN, from: ours, to: after }, deleted('z')], 'edit', anyLease)
  assert.equal(await repository.upkeep.check(), [])
})
test.run()
