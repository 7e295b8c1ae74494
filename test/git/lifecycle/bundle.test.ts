import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { RefName } from '../../../src/kernel/ids.js'
import { OperatorError, bundleSpace } from '../../../src/commands/maintenance.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, MAIN, makePlace } from '../fixture.js'
import { anyLease } from '../../support/lease.js'

const [test, place] = await suiteWith('a bundle of a repository', makePlace, clear)

const clone = (args: readonly string[]): string =>
  execFileSync('git', args, {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: 'pipe',
  }).toString()

test('git clone reads main and every branch from a bundle of a repository in use', async () => {
  const repository = await place.git.create('space1')
  const root = await commit(repository, [], { 'README.md': '# One\n', 'é.md': 'E\n' })
  const side = await commit(repository, [root], { 'side.md': 'S\n' })
  const branch = 'refs/heads/change-requests/1' as RefName
  await repository.refs.move(
    [
      { ref: MAIN, from: null, to: root },
      { ref: branch, from: null, to: side },
    ],
    'begin',
    anyLease,
  )
  const folder = join(place.dir, 'out -x')
  mkdirSync(folder)
  const [file] = await Promise.all([
    bundleSpace({ reposDir: place.dir }, 'space1', join(folder, 'a.bundle')),
    commit(repository, [root], { 'more.md': 'M\n' }),
  ])
  assert.is(file, join(folder, 'a.bundle'))
  assert.equal(readdirSync(folder), ['a.bundle'])
  clone(['clone', '-q', '--mirror', file, join(place.dir, 'copy')])
  const refs = (path: string): string => admin({ path }, ['for-each-ref', '--format=%(refname) %(objectname)'])
  assert.is(refs(join(place.dir, 'copy')), refs(repository.path))
  clone(['clone', '-q', file, join(place.dir, 'work')])
  assert.is(readFileSync(join(place.dir, 'work', 'README.md'), 'utf8'), '# One\n')
})

test('a bundle never overwrites a file, and a failure states the reason', async () => {
  const refused = async (space: string, file: string, why: RegExp): Promise<void> => {
    try {
      await bundleSpace({ reposDir: place.dir }, space, file)
    } catch (error) {
      assert.instance(error, OperatorError)
      return assert.match((error as Error).message, why)
    }
    assert.unreachable('it was written')
  }
  const kept = join(place.dir, 'kept')
  writeFileSync(kept, 'mine')
  await refused('space1', kept, /kept already exists\. Choose another file name/)
  assert.is(readFileSync(kept, 'utf8'), 'mine')
  await refused('nowhere', join(place.dir, 'b.bundle'), /The repository .*nowhere\.git does not exist/)
  await refused('../space1', join(place.dir, 'b.bundle'), /is not the ID of a space/)
  await refused('space1', join(place.dir, 'missing', 'b.bundle'), /Cannot write to the folder .*missing/)
  const empty = await place.git.create('empty')
  await refused('empty', join(place.dir, 'e.bundle'), new RegExp(`git bundle of ${empty.path} failed: .*empty bundle`))
  assert.equal(
    readdirSync(place.dir).filter((name) => name.startsWith('.bundle-') || name.endsWith('.bundle')),
    [],
  )
})

test.run()
