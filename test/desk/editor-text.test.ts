/** The texts of the editor: exact bytes, and merges by block. */
import { CompletionContext } from '@codemirror/autocomplete'
import { ChangeSet, EditorState, Text } from '@codemirror/state'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { complete } from '../../src/desk/editor/completion.js'
import { exactText, originalOf } from '../../src/desk/editor/exact.js'
import { blocksOf, editsBetween, mergeBlocks, type TextEdit } from '../../src/desk/editor/merge.js'
import { type Row, rowsOf, withGaps } from '../../src/desk/review/line-diff.js'
import { suite } from '../support/suite.js'
import { headlessPage } from './headless-page.js'

const test = suite('desk/editor-text')

const textOf = (text: string): Text => Text.of(text.split('\n'))
const apply = (text: string, edits: readonly TextEdit[]): string =>
  [...edits].reverse().reduce((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text)

const rawTexts = fc
  .tuple(
    fc.constantFrom('', '\ufeff'),
    fc.array(fc.tuple(fc.constantFrom('', 'a', 'b c', '\t', '  ', '\u2028x'), fc.constantFrom('\n', '\r\n', '\r'))),
    fc.constantFrom('', 'end'),
  )
  .map(([lead, lines, end]) => lead + lines.map(([line, eol]) => line + eol).join('') + end)
  // A lone carriage return and a line feed after it would become one line end.
  .map((raw) =>
    raw
      .replace(/\r\n/g, '\0')
      .replace(/\r(?=\n)/g, '')
      .replaceAll('\0', '\r\n'),
  )

/** Makes edits as a person does: each in the result of the previous one. */
function editsOf(text: string, steps: readonly [number, number, string][]): { changes: ChangeSet; doc: Text } {
  let doc = textOf(text)
  let changes = ChangeSet.empty(doc.length)
  for (const [at, length, insert] of steps) {
    const from = at % (doc.length + 1)
    const to = Math.min(doc.length, from + length)
    const one = ChangeSet.of({ from, to, insert: textOf(insert) }, doc.length)
    doc = one.apply(doc)
    changes = changes.compose(one)
  }
  return { changes, doc }
}
const steps = fc.array(fc.tuple(fc.nat(200), fc.nat(5), fc.constantFrom('', 'x', 'word', '\n', 'a\nb', '\n\n')), {
  maxLength: 12,
})

test('a text that is opened and saved keeps every byte', () => {
  fc.assert(
    fc.property(rawTexts, (raw) => {
      const original = originalOf(raw)
      assert.not(original.text.includes('\r'))
      const doc = textOf(original.text)
      assert.is(exactText(original, ChangeSet.empty(doc.length), doc), raw)
    }),
    { numRuns: 2_000 },
  )
})

test('edits change only the touched lines of a file with any line ends', () => {
  fc.assert(
    fc.property(rawTexts, steps, (raw, list) => {
      const original = originalOf(raw)
      const { changes, doc } = editsOf(original.text, list)
      const exact = exactText(original, changes, doc)
      assert.is(originalOf(exact).text, doc.toString())
      // The lines before the first and after the last edit are those of the file.
      let [start, end] = [original.text.length, 0]
      changes.iterChanges((fromA, toA) => {
        start = Math.min(start, fromA)
        end = Math.max(end, toA)
      })
      const breaks = (text: string): number => text.split('\n').length - 1
      const before = breaks(original.text.slice(0, start))
      const after = Math.max(0, breaks(original.text.slice(end)) - 1)
      const lines = (text: string): string[] => text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []
      const [was, is] = [lines(raw), lines(exact)]
      // A carriage return cannot stay alone before a line feed, so such a mixture may change in the line before an edit.
      if (/\r(?!\n)/.test(raw) && /\n/.test(raw)) return
      assert.equal(is.slice(0, before), was.slice(0, before))
      assert.equal(is.slice(is.length - after), was.slice(was.length - after))
    }),
    { numRuns: 10_000 },
  )
})

test('undo restores the earlier text', () => {
  fc.assert(
    fc.property(rawTexts, steps, (raw, list) => {
      const original = originalOf(raw)
      const { changes, doc } = editsOf(original.text, list)
      const undone = changes.compose(changes.invert(textOf(original.text)))
      assert.is(exactText(original, undone, undone.apply(textOf(original.text))), raw)
      assert.is(doc.length, changes.newLength)
    }),
    { numRuns: 1_000 },
  )
})

test('blocks are paragraphs, blank lines, whole fences, and single lines of front matter', () => {
  const text = '---\na: 1\nb: 2\n---\n\n# A\n\nOne\ntwo\n\n```js\n\nx\n```\n{% hint %}\nIn\n{% endhint %}\n'
  assert.equal(blocksOf(text), [
    '---\n',
    'a: 1\n',
    'b: 2\n',
    '---\n',
    '\n',
    '# A\n',
    '\n',
    'One\ntwo\n',
    '\n',
    '```js\n\nx\n```\n',
    '{% hint %}\n',
    'In\n',
    '{% endhint %}\n',
  ])
})

const paragraphs = (texts: readonly string[]): string => texts.map((one) => `${one}\n`).join('\n')

test('changes to different blocks are merged, even if they are adjacent', () => {
  const base = paragraphs(['# A', 'One', 'Two', 'Three'])
  const mine = paragraphs(['# A', 'One!', 'Two', 'Three', 'Mine'])
  const theirs = paragraphs(['Theirs', '# A', 'One', 'Two!'])
  const { edits, conflicts } = mergeBlocks(base, mine, theirs)
  assert.equal(conflicts, [])
  assert.is(apply(mine, edits), paragraphs(['Theirs', '# A', 'One!', 'Two!', 'Mine']).replace('Two!\n\n', 'Two!\n\n'))
})

test('a block that both sides changed is a conflict, and the others are merged', () => {
  const base = paragraphs(['# A', 'One', 'Two', 'Three'])
  const mine = paragraphs(['# A', 'One mine', 'Two', 'Three'])
  const theirs = paragraphs(['# A', 'One theirs', 'Two', 'Three theirs'])
  const { edits, conflicts } = mergeBlocks(base, mine, theirs)
  assert.equal(conflicts, [{ base: 'One\n', mine: 'One mine\n', theirs: 'One theirs\n', from: 5, to: 14 }])
  assert.is(apply(mine, edits), mine.replace('Three', 'Three theirs'))
  assert.equal(mergeBlocks(base, mine, mine), { edits: [], conflicts: [] })
  assert.equal(mergeBlocks(base, base, theirs).conflicts, [])
})

test('no word of either side is lost in any merge', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const edit = fc.tuple(fc.nat(20), fc.constantFrom('change', 'insert', 'delete'), fc.nat(1_000_000))
  const side = fc.array(edit, { maxLength: 4 })
  const made = (list: readonly string[], edits: readonly (readonly [number, string, number])[], name: string) => {
    const result = [...list]
    const added: string[] = []
    for (const [at, kind, number] of edits) {
      const index = at % (result.length + 1)
      const text = `${name}${number}`
      if (kind !== 'delete') added.push(text)
      if (kind === 'insert') result.splice(index, 0, text)
      else if (index < result.length) result.splice(index, 1, ...(kind === 'change' ? [text] : []))
      else if (kind === 'change') result.push(text)
    }
    return { text: paragraphs(result), added: added.filter((one) => result.includes(one)) }
  }
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), side, side, (list, a, b) => {
      const [mine, theirs] = [made(list, a, 'mine'), made(list, b, 'theirs')]
      const { edits, conflicts } = mergeBlocks(paragraphs(list), mine.text, theirs.text)
      const merged = apply(mine.text, edits)
      const shown = merged + conflicts.map((one) => one.theirs).join('')
      for (const text of [...mine.added, ...theirs.added]) assert.ok(shown.includes(text), `${text} in ${shown}`)
      for (const { from, to, mine: text } of conflicts) assert.is(mine.text.slice(from, to), text)
      // The edits are in order and do not overlap.
      for (const [at, { from }] of edits.entries()) assert.ok(from >= (edits[at - 1]?.to ?? 0))
    }),
    { numRuns: 5_000 },
  )
})

test("a save whose response was lost does not conflict with the writer's later text", () => {
  const page = headlessPage('# A\r\n\r\nOne.\r\n', 'o0')
  page.edit({ changes: { from: 8, insert: ' word' } })
  const first = page.text.send()
  page.edit({ changes: { from: 13, insert: ' more' } })
  page.text.send()
  // The second save is refused, because the first one has arrived.
  assert.is(page.text.receive(first.raw, 'o1'), 'own')
  assert.is(page.text.pending, null)
  assert.equal(page.text.send(), { raw: '# A\r\n\r\nOne word more.\r\n', oid: 'o1' })
  // The text of another writer still conflicts.
  assert.is(page.text.receive(first.raw.replace('word', 'other'), 'o2'), 'conflict')
})

test('a save whose response was lost is known as one of the writer after a reload', () => {
  const before = headlessPage('# A\r\n\r\nOne.\r\n', 'o0')
  before.edit({ changes: { from: 8, insert: ' word' } })
  const first = before.text.send()
  before.edit({ changes: { from: 13, insert: ' more' } })
  const { base, oid, sent } = before.text
  const copy = { base, oid, sent, text: before.text.exact() }
  // The server has the first save, or gets it only now.
  for (const raw of [first.raw, base]) {
    const page = headlessPage(raw, raw === base ? 'o0' : 'o1')
    page.text.restore(copy)
    assert.equal(page.text.send(), { raw: '# A\r\n\r\nOne word more.\r\n', oid: 'o0' })
    assert.is(page.text.receive(first.raw, 'o1'), 'own')
    assert.equal(page.text.send(), { raw: '# A\r\n\r\nOne word more.\r\n', oid: 'o1' })
    assert.is(page.text.receive(first.raw.replace('word', 'other'), 'o2'), 'conflict')
  }
})

test('the time to merge a large page does not grow with the square of its size', () => {
  const list = Array.from({ length: 20_000 }, (_, at) => `Paragraph ${at % 100}`)
  const [mine, theirs] = [[...list], [...list]]
  mine[10] = 'mine'
  theirs[19_990] = 'theirs'
  const { edits, conflicts } = mergeBlocks(paragraphs(list), paragraphs(mine), paragraphs(theirs))
  assert.equal([edits.length, conflicts.length], [1, 0])
})

test('tags of the space are completed in the tags of the front matter, and nowhere else', async () => {
  const none = async () => []
  const targets = {
    path: 'a.md',
    pages: none,
    files: none,
    headings: none,
    revision: async () => ({ tags: [{ slug: 'beta', label: 'Beta' }] }) as never,
  }
  const listed = async (text: string): Promise<string[]> => {
    const state = EditorState.create({ doc: text.replace('|', '') })
    const context = new CompletionContext(state, text.indexOf('|'), true)
    const found = await complete(context, targets)
    return found ? found.options.map(({ label }) => `${state.sliceDoc(found.from, context.pos)}:${label}`) : []
  }
  assert.equal(await listed('---\ntags:\n  - be|\n---\n'), ['be:beta'])
  assert.equal(await listed('---\ntags:\n  - one\n  - |\n---\n'), [':beta'])
  assert.equal(await listed('---\ntags: [one, b|]\n---\n'), ['b:beta'])
  assert.equal(await listed('---\ntags: [|]\n---\n'), [':beta'])
  for (const text of ['---\nother:\n  - |\n---\n', '---\ntags: []\n---\n\n- |\n', 'tags:\n- |\n'])
    assert.equal(await listed(text), [], text)
})

test('each changed block becomes one suggestion, with the new blocks behind it', () => {
  const old = ['# A', 'one', 'two', 'three'].map((source, at) => ({ node: `n${at}`, source }))
  const edits = (...now: string[]) => editsBetween(old, now)?.map(({ node, markdown }) => [node, markdown])
  assert.equal(edits('# A', 'one', 'two', 'three'), [])
  assert.equal(edits('# A', 'ONE', 'two', 'three'), [['n1', 'ONE']])
  assert.equal(edits('# A', 'one', 'new', 'two', 'three'), [['n1', 'one\n\nnew']])
  assert.equal(edits('first', '# A', 'one', 'two', 'three'), [['n0', 'first\n\n# A']])
  assert.equal(edits('# A', 'one', 'three'), [['n2', null]])
  assert.equal(edits('# A', 'ONE', 'TWO', 'more', 'three', 'end'), [
    ['n1', 'ONE'],
    ['n2', 'TWO\n\nmore'],
    ['n3', 'three\n\nend'],
  ])
  assert.is(editsBetween([], ['new']), null)
})

test('suggestions of random edits give the edited page when all are accepted', () => {
  const block = fc.constantFrom('a', 'b', 'c', 'd')
  fc.assert(
    fc.property(fc.array(block, { minLength: 1 }), fc.array(block), (before, now) => {
      const old = before.map((source, at) => ({ node: `n${at}`, source }))
      const edits = new Map(editsBetween(old, now)?.map(({ node, markdown }) => [node, markdown]))
      const accepted = old.map(({ node, source }) => (edits.has(node) ? edits.get(node) : source))
      assert.is(accepted.filter((one) => one !== null).join('\n\n'), now.join('\n\n'))
    }),
  )
})

test('the opened gaps of a diff show every line once', () => {
  const diff = (lines: readonly string[]): Row[] =>
    rowsOf(`@@ -1,${lines.length} +1,${lines.length} @@\n${lines.join('\n')}`).filter(({ kind }) => kind !== 'gap')
  const same = (count: number): string[] => Array.from({ length: count }, (_, at) => ` line ${at}`)
  const all = diff([...same(10), '-old', '+new', ...same(20), '+more', ...same(9)])
  const gaps = (rows: readonly Row[]) => rows.flatMap((row) => (row.kind === 'gap' ? [[row.index, row.count]] : []))
  assert.equal(gaps(withGaps(all, [])), [
    [0, 7],
    [1, 14],
    [2, 6],
  ])
  assert.equal(
    gaps(
      withGaps(all, [
        { start: 0, end: 5 },
        { start: 4, end: 4 },
      ]),
    ),
    [
      [0, 2],
      [1, 6],
      [2, 6],
    ],
  )
  const some = fc.record({ start: fc.nat(25), end: fc.nat(25) })
  fc.assert(
    fc.property(fc.array(some, { maxLength: 3 }), (opened) => {
      const rows = withGaps(all, opened)
      const hidden = rows.reduce((sum, row) => sum + (row.kind === 'gap' ? (row.count ?? 0) : 0), 0)
      const shown = rows.filter(({ kind }) => kind !== 'gap')
      assert.is(new Set(shown).size, shown.length)
      assert.is(shown.length + hidden, all.length)
      assert.equal(
        shown,
        all.filter((row) => shown.includes(row)),
      )
    }),
  )
  // A file that ends with the last change has no gap behind it.
  assert.equal(gaps(withGaps(diff([...same(3), '+end']), [])), [])
})

test.run()
