import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { HistoryQuery, Repository } from '../../../src/git/index.js'
import type { CommitId } from '../../../src/kernel/ids.js'
import { suiteWith } from '../../support/suite.js'
import { admin, clear, commit, makePlace } from '../fixture.js'

let repository: Repository
const [test, place] = await suiteWith('git history', makePlace, clear)
test.before(async () => {
  repository = await place.git.create('space')
})

const page = (n: number): string => Array.from({ length: 30 }, (_, line) => `page ${n} line ${line}`).join('\n')

test('a diff compares by oid and finds renames', async () => {
  const before = await commit(repository, [], {
    'same/x': '1',
    'a/moved.md': page(1),
    edited: '1',
    gone: '2',
    kind: 'file',
  })
  const after = await commit(repository, [before], {
    'a/moved.md': null,
    'b/new name.md': `${page(1)}\nmore`,
    edited: '2',
    gone: null,
    kind: null,
    'kind/file': 'x',
  })
  const told = (await repository.trees.diff(before, after)).map(({ status, path }) => `${status} ${path}`)
  assert.equal(told, [
    'deleted a/moved.md',
    'added b/new name.md',
    'modified edited',
    'deleted gone',
    'deleted kind',
    'added kind/file',
  ])
  const renames = await repository.trees.diff(before, after, { renames: true })
  assert.equal(
    renames.map(({ status, path, from }) => [status, path, from].filter(Boolean).join(' ')),
    ['renamed b/new name.md a/moved.md', 'modified edited', 'deleted gone', 'deleted kind', 'added kind/file'],
  )
  assert.ok((renames[0]?.similarity ?? 0) > 90)
  assert.is(renames[0]?.before?.path, 'a/moved.md')
  assert.is((await repository.trees.diff(null, after)).length, 4)
  assert.equal(await repository.trees.diff(null, after, { renames: true }), await repository.trees.diff(null, after))
  const { tree } = await repository.objects.commit(after)
  assert.equal(await repository.trees.diff(after, tree), [])
})

test('history is limited by path, first parent, count and excluded commits', async () => {
  const one = await commit(repository, [], { 'a/x.md': '1', '*.md': '1' })
  const two = await commit(repository, [one], { 'b.md': '2' })
  const side = await commit(repository, [one], { 'a/x.md': 'side' })
  const merged = await commit(repository, [two, side], { 'a/x.md': 'side' })
  const ids = async (query: HistoryQuery) => (await repository.history.log(query)).map(({ id }) => id)
  assert.equal(await ids({ from: merged, path: 'b.md' }), [two])
  assert.equal(await ids({ from: merged, path: '*.md' }), [one])
  assert.equal(await ids({ from: merged, path: 'a' }), [side, one])
  assert.equal(await ids({ from: merged, firstParent: true }), [merged, two, one])
  assert.equal(await ids({ from: merged, firstParent: true, limit: 1, skip: 1 }), [two])
  assert.equal(new Set(await ids({ from: merged, not: [two] })), new Set([merged, side]))
  assert.equal(await ids({ from: merged, limit: 0 }), [])
  assert.equal(await ids({ from: merged, path: '--output=x' }), [])
})

test('ancestry agrees with Git on any graph', async () => {
  const shape = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { minLength: 2, maxLength: 14 })
  await fc.assert(
    fc.asyncProperty(shape, async (steps) => {
      const made: CommitId[] = []
      for (const [n, [first, second, merge]] of steps.entries()) {
        const parents =
          n === 0 || (first + second) % 11 === 0 ? [] : merge ? [made[first % n], made[second % n]] : [made[first % n]]
        made.push(
          admin(
            repository,
            ['commit-tree', ...new Set(parents)]
              .flatMap((part, at) => (at === 0 ? [part as string] : ['-p', part as string]))
              .concat('-m', `${n} ${Math.random()}`, '4b825dc642cb6eb9a060e54bf8d69288fbee4904'),
          ) as CommitId,
        )
      }
      for (let round = 0; round < 3; round++) {
        const [a, b] = [made[made.length - 1 - (round % made.length)], made[(round * 7) % made.length]] as [
          CommitId,
          CommitId,
        ]
        const [left, right] = admin(repository, ['rev-list', '--left-right', '--count', `${a}...${b}`])
          .split('\t')
          .map(Number)
        assert.equal(await repository.history.aheadBehind(a, b), { ahead: left, behind: right })
        assert.equal(
          (await repository.history.log({ from: a, not: [b] })).map(({ id }) => id),
          admin(repository, ['rev-list', a, `^${b}`])
            .split('\n')
            .filter(Boolean),
        )
        const others = [b, made[(round * 5) % made.length] as CommitId]
        assert.equal(
          (await repository.history.log({ from: a, not: others, limit: 2 + round })).map(({ id }) => id),
          admin(repository, ['rev-list', `--max-count=${2 + round}`, a, ...others.map((id) => `^${id}`)])
            .split('\n')
            .filter(Boolean),
        )
        let bases: string[] = []
        try {
          bases = admin(repository, ['merge-base', '--all', a, b]).split('\n')
        } catch {
          // Git exits with 1 if there is none.
        }
        const base = await repository.history.mergeBase(a, b)
        if (bases.length === 0) assert.is(base, null)
        else assert.ok(bases.includes(base ?? ''))
        assert.equal((await repository.history.mergeBases(a, b)).sort(), bases.sort())
        assert.is(await repository.history.isAncestor(b, a), bases.includes(b))
      }
    }),
    { numRuns: 12 },
  )
})

test('a long history is loaded in one batch', async () => {
  const entry = (n: number) =>
    `commit refs/heads/long\nmark :${n}\ncommitter a <a@b> ${1_000_000 + n} +0000\ndata 1\nx\n${n > 1 ? `from :${n - 1}\n` : ''}`
  admin(repository, ['fast-import', '--quiet'], Array.from({ length: 3000 }, (_, n) => entry(n + 1)).join(''))
  const head = admin(repository, ['rev-parse', 'refs/heads/long']) as CommitId
  const middle = admin(repository, ['rev-parse', 'refs/heads/long~1000']) as CommitId
  assert.equal(await repository.history.aheadBehind(head, middle), { ahead: 1000, behind: 0 })
  assert.ok(await repository.history.isAncestor(middle, head))
  assert.is(await repository.history.mergeBase(middle, head), middle)
  for (const count of [1, 256, 257, 1000]) {
    const [from, to] = [`refs/heads/long~${count}`, 'refs/heads/long'].map(
      (name) => admin(repository, ['rev-parse', name]) as CommitId,
    )
    const commits = (await repository.history.log({ from: to as CommitId, not: [from as CommitId] })).map(
      ({ id }) => id,
    )
    assert.equal(commits, admin(repository, ['rev-list', `--max-count=${count}`, 'refs/heads/long']).split('\n'))
  }
})
test.run()
