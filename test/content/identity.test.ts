import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  defaultId,
  type EntryKey,
  idOf,
  type IdOverrides,
  OverrideDraft,
  overrideKey,
} from '../../src/content/identity.js'
import { applyChanges, repairOverrides } from '../../src/content/identity-changes.js'
import { mergeOverrides } from '../../src/content/merge-identity.js'
import { decodePageIds, encodePageIds } from '../../src/content/identity-header.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'

const test = suite('content: identity')
const page = (key: string): EntryKey => ({ kind: 'page', key })
const id = (overrides: IdOverrides, key: string): string => idOf(overrides)('page', key)
const none: IdOverrides = new Map()

/** One step: applies it to the overrides and to the set of existing paths. */
function step(
  state: { ids: IdOverrides; paths: ReadonlySet<string> },
  changes: { add?: string[]; delete?: string[]; rename?: Array<[string, string]> },
) {
  const paths = new Set(state.paths)
  for (const path of changes.delete ?? []) paths.delete(path)
  for (const [from] of changes.rename ?? []) paths.delete(from)
  for (const path of [...(changes.add ?? []), ...(changes.rename ?? []).map(([, to]) => to)]) paths.add(path)
  const ids = applyChanges(
    state.ids,
    {
      added: (changes.add ?? []).map(page),
      deleted: (changes.delete ?? []).map(page),
      renamed: (changes.rename ?? []).map(([from, to]) => ({ kind: 'page', from, to })),
    },
    (kind, key) => kind === 'page' && paths.has(key),
  )
  return { ids, paths }
}
const start = (...paths: string[]) => ({ ids: none, paths: new Set(paths) as ReadonlySet<string> })

function assertUnique(state: { ids: IdOverrides; paths: ReadonlySet<string> }): void {
  const all = [...state.paths].map((path) => id(state.ids, path))
  assert.is(new Set(all).size, all.length, 'two pages share an ID')
  for (const [name, value] of state.ids)
    assert.is.not(value, defaultId('page', name.slice('page\0'.length)), 'a default is no override')
}

test('a default ID has 20 letters and digits and never changes', () => {
  assert.is(defaultId('page', 'guides/a.md'), defaultId('page', 'guides/a.md'))
  assert.match(defaultId('page', 'guides/a.md'), /^[0-9A-Za-z]{20}$/)
  assert.is.not(defaultId('page', 'a.md'), defaultId('file', 'a.md'))
  // Frozen: comments and links in existing repositories depend on it.
  assert.is(defaultId('page', 'README.md'), 'q4u4HLW3jfiy1LatbLJo')
})

test('a rename keeps the ID, and a reversed rename needs no ID override', () => {
  const renamed = step(start('a.md'), { rename: [['a.md', 'b.md']] })
  assert.is(id(renamed.ids, 'b.md'), defaultId('page', 'a.md'))
  const back = step(renamed, { rename: [['b.md', 'a.md']] })
  assert.is(id(back.ids, 'a.md'), defaultId('page', 'a.md'))
  assert.is(back.ids.size, 0)
})

test('two pages that exchange paths keep their IDs', () => {
  const swapped = step(start('a.md', 'b.md'), {
    rename: [
      ['a.md', 'b.md'],
      ['b.md', 'a.md'],
    ],
  })
  assert.is(id(swapped.ids, 'a.md'), defaultId('page', 'b.md'))
  assert.is(id(swapped.ids, 'b.md'), defaultId('page', 'a.md'))
})

test('pages keep their IDs when a chain of files is renamed', () => {
  const moved = step(start('a.md', 'b.md'), {
    rename: [
      ['b.md', 'c.md'],
      ['a.md', 'b.md'],
    ],
  })
  assert.is(id(moved.ids, 'b.md'), defaultId('page', 'a.md'))
  assert.is(id(moved.ids, 'c.md'), defaultId('page', 'b.md'))
})

test('a new page at the old path of a renamed page gets its own ID', () => {
  const state = step(start('a.md'), { rename: [['a.md', 'b.md']] })
  const added = step(state, { add: ['a.md'] })
  assert.is(id(added.ids, 'b.md'), defaultId('page', 'a.md'))
  assert.is.not(id(added.ids, 'a.md'), defaultId('page', 'a.md'))
  assert.equal([...added.ids], [...step(state, { add: ['a.md'] }).ids], 'the same every time')
  const together = step(start('a.md'), { rename: [['a.md', 'b.md']], add: ['a.md'] })
  assert.equal(new Map(together.ids), new Map(added.ids))
})

test('a restored page gets its old ID back', () => {
  const plain = step(step(start('a.md'), { delete: ['a.md'] }), { add: ['a.md'] })
  assert.is(id(plain.ids, 'a.md'), defaultId('page', 'a.md'))
  const renamed = step(start('a.md'), { rename: [['a.md', 'b.md']] })
  const back = step(step(renamed, { delete: ['b.md'] }), { add: ['b.md'] })
  assert.is(id(back.ids, 'b.md'), defaultId('page', 'a.md'))
})

test('a restored page does not take an ID that another page uses', () => {
  const gone = step(step(start('a.md'), { rename: [['a.md', 'b.md']] }), { delete: ['b.md'] })
  const other = step(gone, { add: ['a.md'] })
  assert.is(id(other.ids, 'a.md'), defaultId('page', 'a.md'))
  const both = step(other, { add: ['b.md'] })
  assertUnique(both)
  assert.is(id(both.ids, 'a.md'), defaultId('page', 'a.md'), 'who was there keeps it')
})

test('a copy does not count as a rename', () => {
  const ids = applyChanges(
    none,
    { added: [], deleted: [], renamed: [{ kind: 'page', from: 'a.md', to: 'b.md' }] },
    () => true,
  )
  assert.is(id(ids, 'a.md'), defaultId('page', 'a.md'))
  assert.is(id(ids, 'b.md'), defaultId('page', 'b.md'))
})

const names = ['a', 'b', 'c', 'd', 'e']
const move = fc.record({
  add: fc.subarray(names),
  remove: fc.subarray(names),
  shuffle: fc.shuffledSubarray(names),
  targets: fc.shuffledSubarray(names),
})
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never

/** Turns a move into a legal step: missing paths are neither deleted nor renamed, existing ones are not added. */
function legal(paths: ReadonlySet<string>, { add, remove, shuffle, targets }: Move) {
  const gone = remove.filter((path) => paths.has(path))
  const from = shuffle.filter((path) => paths.has(path) && !gone.includes(path))
  const stay = new Set([...paths].filter((path) => !gone.includes(path) && !from.includes(path)))
  const free = targets.filter((path) => !stay.has(path))
  const rename = from.slice(0, free.length).map((path, i): [string, string] => [path, free[i]!])
  const taken = new Set([...stay, ...rename.map(([, to]) => to), ...from.slice(free.length)])
  return { delete: gone, rename: rename.filter(([a, b]) => a !== b), add: add.filter((path) => !taken.has(path)) }
}
const run = (moves: readonly Move[], from = start('a', 'b')) =>
  moves.reduce((state, next) => step(state, legal(state.paths, next)), from)

test('IDs are unique, follow renames and depend only on the history', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 12 }), (moves) => {
      let state = start('a', 'b')
      for (const next of moves) {
        const changes = legal(state.paths, next)
        const after = step(state, changes)
        assertUnique(after)
        for (const [from, to] of changes.rename) assert.is(id(after.ids, to), id(state.ids, from))
        const touched = new Set([...changes.delete, ...changes.add, ...changes.rename.flat()])
        for (const path of state.paths) if (!touched.has(path)) assert.is(id(after.ids, path), id(state.ids, path))
        assert.equal(decodePageIds(encodePageIds(after.ids)), new Map([...after.ids].sort()))
        state = after
      }
      assert.is(encodePageIds(run(moves).ids), encodePageIds(state.ids))
    }),
    { numRuns: 400 },
  )
})

test('merges and criss-cross merges keep IDs unique, and a change on one side wins', () => {
  const story = fc.array(move, { maxLength: 4 })
  fc.assert(
    fc.property(story, story, story, story, story, (first, left, right, left2, right2) => {
      const merge = (
        base: IdOverrides,
        ours: ReturnType<typeof run>,
        theirs: ReturnType<typeof run>,
        paths: ReadonlySet<string>,
      ) => {
        const ids = mergeOverrides({ base, ours: ours.ids, theirs: theirs.ids }, { existing: [...paths].map(page) })
        assert.is(
          encodePageIds(ids),
          encodePageIds(
            mergeOverrides({ base, ours: ours.ids, theirs: theirs.ids }, { existing: [...paths].map(page) }),
          ),
        )
        assertUnique({ ids, paths })
        return { ids, paths }
      }
      const base = run(first)
      const ours = run(left, base)
      const theirs = run(right, base)
      const union = new Set([...ours.paths, ...theirs.paths])
      const one = merge(base.ids, ours, theirs, union)
      const two = merge(base.ids, theirs, ours, new Set([...union].slice(1)))
      merge(ours.ids, run(left2, one), run(right2, two), union)
      merge(theirs.ids, run(left2, two), run(right2, one), union)
      const unchanged = mergeOverrides(
        { base: base.ids, ours: base.ids, theirs: theirs.ids },
        { existing: [...theirs.paths].map(page) },
      )
      for (const path of theirs.paths) assert.is(id(unchanged, path), id(theirs.ids, path))
    }),
    { numRuns: 300 },
  )
})

test('our side keeps the ID if both sides rename one page', () => {
  const ours = step(start('a'), { rename: [['a', 'z']] })
  const theirs = step(start('a'), { rename: [['a', 'b']] })
  const merged = mergeOverrides({ base: none, ours: ours.ids, theirs: theirs.ids }, { existing: ['b', 'z'].map(page) })
  assert.is(id(merged, 'z'), defaultId('page', 'a'))
  assert.is(id(merged, 'b'), defaultId('page', 'b'))
  const without = mergeOverrides({ base: none, ours: ours.ids, theirs: theirs.ids })
  assert.is(id(without, 'z'), defaultId('page', 'a'))
  assert.is.not(id(without, 'b'), id(without, 'z'))
})

test('a renamed page keeps its ID if the other side kept it at its path', () => {
  const ours = step(start('a'), { rename: [['a', 'b']] })
  const merged = mergeOverrides({ base: none, ours: ours.ids, theirs: none }, { existing: ['a', 'b'].map(page) })
  assert.is(id(merged, 'b'), defaultId('page', 'a'))
  assert.is.not(id(merged, 'a'), defaultId('page', 'a'))
})

test('a repair leaves valid overrides unchanged', () => {
  const state = step(start('a', 'b'), { rename: [['a', 'c']], add: ['a'] })
  assert.is(encodePageIds(repairOverrides(state.ids, [...state.paths].map(page))), encodePageIds(state.ids))
})

test('a header reads back for any key', () => {
  const kind = fc.constantFrom('page', 'file', 'group', 'link', 'computed', 'reusable-content')
  const entry = fc.tuple(kind, fc.string({ unit: 'grapheme', minLength: 1 }), fc.stringMatching(/^[0-9A-Za-z]{20}$/))
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: ([, , value]) => value }), (entries) => {
      const overrides = new Map(entries.map(([k, key, value]) => [overrideKey(k as 'page', key), value]))
      const text = encodePageIds(overrides)
      assert.not.match(text, /[^\x20-\x7e\n]/)
      assert.is(text, encodePageIds(new Map([...overrides].reverse())))
      assert.equal(new Map([...decodePageIds(text)].sort()), new Map([...overrides].sort()))
    }),
  )
})

test('only the invalid lines of a hostile header are lost', () => {
  const good = 'A'.repeat(20)
  const lines = [
    '1',
    'page short a',
    `nothing ${good} a`,
    `page ${good} %zz`,
    `page ${good}`,
    `page ${good} good.md`,
    `page ${good} other.md`,
    `page ${'B'.repeat(20)} good.md`,
    `__proto__ ${good} x`,
    '',
  ]
  assert.equal([...decodePageIds(lines.join('\r\n'))], [[overrideKey('page', 'good.md'), good]])
  assert.is(decodePageIds('2\npage AAAAAAAAAAAAAAAAAAAA a').size, 0)
  assert.is(decodePageIds('').size, 0)
  fc.assert(fc.property(unicodeText(), (text) => void decodePageIds(`1\n${text}`)))
})

test('a draft gives an ID to one entry at a time, like a search through all overrides', () => {
  const entry = fc.integer({ min: 0, max: 5 }).map((n) => page(`${n}.md`))
  const idGiven = fc.oneof(
    entry.map(({ kind, key }) => defaultId(kind, key)),
    fc.constantFrom('own-1', 'own-2', 'own-3'),
  )
  const start = fc.uniqueArray(fc.tuple(entry, fc.constantFrom('own-1', 'own-2', 'own-4')), {
    selector: ([{ key }]) => key,
  })
  fc.assert(
    fc.property(start, fc.array(fc.tuple(entry, idGiven), { maxLength: 12 }), (before, gifts) => {
      const distinct = new Map<string, string>(before.map(([{ kind, key }, own]) => [own, overrideKey(kind, key)]))
      const overrides = new Map<string, string>([...distinct].map(([own, name]) => [name, own]))
      const draft = new OverrideDraft(overrides)
      const expected = new Map(overrides)
      for (const [to, given] of gifts) {
        draft.give(to, given)
        for (const [name, other] of expected) if (other === given) expected.delete(name)
        const name = overrideKey(to.kind, to.key)
        if (given === defaultId(to.kind, to.key)) expected.delete(name)
        else expected.set(name, given)
      }
      assert.equal(new Map([...draft.overrides].sort()), new Map([...expected].sort()))
    }),
  )
})

test.run()
