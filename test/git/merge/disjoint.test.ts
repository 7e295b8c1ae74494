import fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { CommitId } from '../../../src/kernel/ids.js'
import { runs } from '../../support/soak.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, makePlace } from '../fixture.js'

const [test, place] = await suiteWith('merges of disjoint changes', makePlace, clear)

type Texts = Record<string, string | null>
const git = (repository: { path: string }, ours: string, theirs: string): { clean: boolean; tree: string } => {
  const settings = ['-c', 'merge.directoryRenames=false', '-c', 'merge.renames=true', '-c', 'merge.renameLimit=1000']
  try {
    return {
      clean: true,
      tree: admin(repository, [...settings, 'merge-tree', '--write-tree', '--allow-unrelated-histories', ours, theirs]),
    }
  } catch (error) {
    return { clean: false, tree: String((error as { stdout: Buffer }).stdout).slice(0, 40) }
  }
}

test("a merge of disjoint changes starts no process and equals Git's result", async () => {
  const repository = await place.git.create('plain')
  const root = await commit(repository, [], { 'a/x.md': 'x', 'a/y.md': 'y', 'b/z.md': 'z', 'c.md': 'c', same: '1' })
  const ours = await commit(repository, [root], {
    'a/x.md': 'x2',
    'a/new.md': 'n',
    'c.md': null,
    'd/c.md': 'c',
    same: '2',
  })
  const theirs = await commit(repository, [root], { 'a/y.md': null, 'b/z.md': 'z2', 'b/zz/deep.md': 'deep', same: '2' })
  const before = place.git.processesStarted
  const merged = await repository.trees.merge({ ours, theirs })
  assert.is(place.git.processesStarted, before)
  assert.equal(merged, git(repository, ours, theirs))
  assert.equal(
    await repository.trees.merge({ ours: root, theirs }),
    { clean: true, tree: (await repository.objects.commit(theirs)).tree },
    'one side changed nothing',
  )
  const based = await repository.trees.merge({ ours, theirs, base: theirs })
  assert.equal(based, { clean: true, tree: (await repository.objects.commit(ours)).tree })
})

const RUNS = runs(50, 1_000)
test('changes of one file, and files at paths of folders, are left to Git', async () => {
  const repository = await place.git.create('meeting')
  const text = 'line\n'.repeat(30)
  const root = await commit(repository, [], { 'a.md': text, 'b/c.md': `${text}c`, d: 'd' })
  const pairs: [Texts, Texts][] = [
    [{ 'a.md': `${text}ours` }, { 'a.md': `theirs\n${text}` }],
    [
      { 'a.md': null, 'x.md': text },
      { 'a.md': null, 'y.md': text },
    ],
    [{ 'a.md': null, 'x.md': text }, { 'a.md': `${text}more` }],
    [{ 'new.md': '1' }, { 'new.md': '1' }],
    [{ 'new.md': '1' }, { 'new.md': '2' }],
    [{ d: null, 'd/e': '1' }, { d: 'd2' }],
    [{ 'b/c.md': null, b: 'file' }, { 'b/n.md': 'n' }],
    [
      { 'b/c.md': null, 'x/c.md': `${text}c` },
      { 'b/c.md': null, 'y/c.md': `${text}c` },
    ],
    [{ 'a.md': null, 'b/c.md': null, d: null }, { 'a.md': null }],
  ]
  for (const [left, right] of pairs) {
    const [ours, theirs] = [await commit(repository, [root], left), await commit(repository, [root], right)]
    const { clean, tree } = await repository.trees.merge({ ours, theirs })
    assert.equal({ clean, tree }, git(repository, ours, theirs), JSON.stringify([left, right]).replaceAll(text, '…'))
  }
})

test("a merge of any two sides equals Git's result", async () => {
  const repository = await place.git.create('property')
  const paths = ['a', 'b', 'd/a', 'd/b', 'd/e/f', 'g/h', 'new', 'd/new']
  const bodies = ['one', 'two', 'three'].map((word) => Array.from({ length: 12 }, (_, n) => `${word} ${n}`).join('\n'))
  const body = fc
    .tuple(fc.constantFrom(...bodies), fc.constantFrom('', '\nend', '\nother end'))
    .map(([text, end]) => text + end)
  const base = fc.dictionary(fc.constantFrom(...paths.slice(0, 6)), body, { minKeys: 2 })
  // A change of text, a deletion, a new file, or a file moved to another path.
  const side = fc.array(
    fc.oneof(
      fc.record({ path: fc.constantFrom(...paths), text: fc.option(body) }),
      fc.record({ path: fc.constantFrom(...paths), to: fc.constantFrom(...paths) }),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  const applied = (
    from: Record<string, string>,
    changes: typeof side extends fc.Arbitrary<infer C> ? C : never,
  ): Texts => {
    const now: Texts = { ...from }
    for (const change of changes)
      if ('text' in change) now[change.path] = change.text
      else if (now[change.path])
        [now[change.to], now[change.path]] = [
          now[change.path] as string,
          change.to === change.path ? (now[change.path] as string) : null,
        ]
    return now
  }
  let alone = 0
  await fc.assert(
    fc.asyncProperty(base, side, side, async (files, left, right) => {
      const root = await commit(repository, [], files)
      const make = async (changes: typeof left): Promise<CommitId | null> =>
        commit(repository, [root], applied(files, changes)).catch(() => null)
      const [ours, theirs] = [await make(left), await make(right)]
      if (!ours || !theirs) return
      const { clean, tree } = await repository.trees.merge({ ours, theirs })
      assert.equal({ clean, tree }, git(repository, ours, theirs))
      alone += Number(clean)
    }),
    { numRuns: RUNS, seed: Number(process.env.FC_SEED) || 11 },
  )
  assert.ok(alone > RUNS / 4)
})
test.run()
