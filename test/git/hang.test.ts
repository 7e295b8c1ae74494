import { execFileSync } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import * as assert from 'uvu/assert'
import type { Repository } from '../../src/git/index.js'
import { suiteWith } from '../support/suite.js'
import { admin, clear, commit, MAIN, makePlace } from './fixture.js'
import { anyLease } from '../support/lease.js'

const [test, place] = await suiteWith('a Git process that hangs', () => makePlace({ maxSilenceMs: 500 }), clear)

/** Stops the processes of a repository whose arguments hold `word`; returns how many. */
function freeze(repository: Repository, word: string): number {
  const all = execFileSync('ps', ['-eo', 'pid=,args=']).toString().split('\n')
  const mine = all.flatMap((line) => {
    const pid = Number(line.trim().split(' ')[0])
    try {
      return line.includes(word) && readlinkSync(`/proc/${pid}/cwd`) === repository.path ? [pid] : []
    } catch {
      return []
    }
  })
  for (const pid of mine) process.kill(pid, 'SIGSTOP')
  return mine.length
}

test('is ended and started again: reads, merges, diffs and moves go on', async () => {
  const repository = await place.git.create('space')
  const lines = 'line\n'.repeat(30)
  const root = await commit(repository, [], { a: lines, b: 'b' })
  await repository.move([{ ref: MAIN, from: null, to: root }], 'edit', anyLease)
  const sides = await Promise.all([commit(repository, [root], { c: '1' }), commit(repository, [root], { a: null, d: lines })])
  const [ours, theirs] = sides
  const merged = await repository.merge({ ours, theirs })
  const renamed = await repository.diff(root, theirs, { renames: true })
  admin(repository, ['repack', '-q', '-a', '-d'])
  admin(repository, ['prune-packed'])
  const other = await place.git.open('space')
  const blob = admin(repository, ['hash-object', '-w', '--stdin'], 'only packed')
  const pack = admin(repository, ['pack-objects', '-q', 'objects/pack/pack'], `${blob}\n`)
  assert.ok(pack)
  admin(repository, ['prune-packed'])
  assert.is(String(await repository.tree(merged.tree).read(blob)), 'only packed')

  assert.is(freeze(repository, 'merge-tree'), 1)
  assert.equal(await repository.merge({ ours, theirs }), merged)
  assert.is(freeze(repository, 'diff-tree'), 1)
  assert.equal(await repository.diff(root, theirs, { renames: true }), renamed)
  assert.is(freeze(repository, 'cat-file'), 1)
  const large = admin(repository, ['hash-object', '-w', '--stdin'], Buffer.alloc(300_000, 'x'))
  admin(repository, ['pack-objects', '-q', 'objects/pack/pack'], `${large}\n`)
  admin(repository, ['prune-packed'])
  assert.equal(await other.tree(merged.tree).sizes([large]), [300_000])

  const before = admin(repository, ['reflog', 'show', '--format=%H', MAIN]).split('\n').length
  assert.is(freeze(repository, 'update-ref'), 1)
  await repository.move([{ ref: MAIN, from: root, to: ours }], 'edit', anyLease)
  assert.is(repository.head(MAIN), ours)
  assert.is(admin(repository, ['reflog', 'show', '--format=%H', MAIN]).split('\n').length, before + 1, 'moved once')
  assert.is(freeze(repository, 'update-ref'), 1)
  const after = await commit(repository, [ours], { e: 'e' })
  await repository.move([{ ref: MAIN, from: ours, to: after }], 'edit', anyLease)
  assert.equal(await repository.check(), [])
})
test.run()
