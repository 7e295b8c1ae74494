import * as assert from 'uvu/assert'
import { conflictsOf } from '../../../src/git/merge/conflicts.js'
import { type Message, readMergeOutput } from '../../../src/git/merge/parse.js'
import { suite } from '../../support/suite.js'

const test = suite('git merge with many conflicts')

const OID = 'a'.repeat(40)
const COMMITS = ['b'.repeat(40), 'c'.repeat(40)]
const paths = Array.from({ length: 3_000 }, (_, n) => `dir/page-${n}.md`)

test('each message is only searched for the paths that it names', () => {
  let looks = 0
  const messages = paths.map(
    (path): Message => ({
      type: 'CONFLICT (contents)',
      get paths() {
        looks++
        return [path]
      },
    }),
  )
  const stages = paths.flatMap((path) => [1, 2, 3].map((stage) => ({ path, stage, mode: '100644' as const, oid: OID })))
  const found = conflictsOf({ clean: false, tree: OID, stages, messages }, COMMITS)
  assert.equal([found.length, found[7]?.path, found[7]?.kind], [3_000, 'dir/page-7.md', 'content'])
  assert.ok(looks <= 4 * paths.length, `${looks} looks`)
})

test('a path that Git made up is reported as the path that both sides used', () => {
  const made = `x.md~${COMMITS[0]}`
  const stages = [{ path: made, stage: 2, mode: '100644' as const, oid: OID }]
  const messages = [{ paths: ['x.md', made], type: 'CONFLICT (file/directory)' }]
  assert.equal(
    conflictsOf({ clean: false, tree: OID, stages, messages }, COMMITS).map(({ path, kind }) => [path, kind]),
    [['x.md', 'file/directory']],
  )
})

test('an output is read completely, whatever chunks it arrives in', () => {
  const conflicted = [
    '0',
    OID,
    `100644 ${OID} 1\ta.md`,
    '',
    '1',
    'a.md',
    'CONFLICT (contents)',
    'CONFLICT in a.md\n',
    '',
  ].join('\0')
  for (const text of [`1\0${OID}\0\0`, `${conflicted}\0`]) {
    const bytes = Buffer.from(text)
    for (let end = 0; end < bytes.length; end++)
      assert.ok('need' in readMergeOutput(bytes.subarray(0, end)), String(end))
    const whole = readMergeOutput(bytes)
    assert.ok('used' in whole && whole.used === bytes.length)
  }
})

test.run()
