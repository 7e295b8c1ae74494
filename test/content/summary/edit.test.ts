import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  insertEntry,
  insertGroup,
  moveEntry,
  moveGroup,
  removeEntry,
  removeGroup,
  retargetEntry,
  retitleEntry,
  retitleGroup,
} from '../../../src/content/summary/edit.js'
import { parseSummary } from '../../../src/content/summary/parse.js'
import type { SummaryNode } from '../../../src/content/types.js'
import { runs } from '../../support/soak.js'
import { suite } from '../../support/suite.js'
import { type Model, at, modelOf, paths, summaryText } from './model.js'

const test = suite('content: edits of SUMMARY.md')

const sample =
  '# T\n\n* [Home](README.md)\n\n## Start\n\n* [A](a.md "Link title")\n  * [B](b.md)\n* [C](c.md)\n\n***\n\n* [D](d.md)\n'

test('one line is written in the style of its siblings', () => {
  assert.is(
    insertEntry(sample, { title: 'N', href: 'n.md', parent: [1] }),
    sample.replace('* [C](c.md)\n', '* [C](c.md)\n* [N](n.md)\n'),
  )
  assert.is(
    insertEntry(sample, { title: 'N', href: 'n.md', parent: [1, 0], at: 0 }),
    sample.replace('  * [B]', '  * [N](n.md)\n  * [B]'),
  )
  assert.is(
    insertEntry(sample, { title: 'N', href: 'n.md', parent: [1, 1] }),
    sample.replace('* [C](c.md)\n', '* [C](c.md)\n  * [N](n.md)\n'),
  )
  assert.is(
    insertEntry('- [a](a.md)\r\n\t- [b](b.md)\r\n- [c](c.md)', { title: 'N', href: 'n.md', parent: [1] }),
    '- [a](a.md)\r\n\t- [b](b.md)\r\n- [c](c.md)\r\n\t- [N](n.md)',
  )
  assert.is(
    insertEntry('1. [a](a.md)\n2. [b](b.md)\n', { title: 'N', href: 'n.md', parent: null }),
    '1. [a](a.md)\n2. [b](b.md)\n3. [N](n.md)\n',
  )
  assert.is(insertEntry('', { title: 'N', href: 'n.md', parent: null }), '* [N](n.md)\n')
  assert.is(insertEntry('\ufeff# T\n\n## G\n', { title: 'N', href: null, parent: [0] }), '\ufeff# T\n\n## G\n\n* N\n')
  assert.is(
    insertEntry('## G\n\n* [a](a.md)\n', { title: 'N', href: 'n.md', parent: null }),
    '## G\n\n* [a](a.md)\n\n***\n\n* [N](n.md)\n',
  )
  assert.is(
    insertEntry('[P](p.md)\n\n## G\n', { title: 'N', href: 'n.md', parent: null, at: 1 }),
    '[P](p.md)\n[N](n.md)\n\n## G\n',
  )
})

test('only the title or target of an entry changes', () => {
  assert.is(retitleEntry(sample, [1, 0], 'A [x] *y*'), sample.replace('[A]', '[A \\[x\\] \\*y\\*]'))
  assert.is(retargetEntry(sample, [1, 0], 'n m.md'), sample.replace('(a.md "', '(<n m.md> "'))
  assert.is(
    retargetEntry('* [a](x%20y.md)\n* [b](b.md)\n', [1], 'n m (1).md'),
    '* [a](x%20y.md)\n* [b](n%20m%20%281%29.md)\n',
  )
  assert.is(retargetEntry('* [a](some file.md)\n', [0], 'b.md'), '* [a](b.md)\n')
  assert.is(retargetEntry('* Plain *x*\n', [0], 'b.md'), '* [Plain x](b.md)\n')
  assert.is(retargetEntry('* [a *b*](x.md) tail\n', [0], null), '* a b tail\n')
  assert.is(retitleEntry('* [r]\n\n[r]: r.md\n', [0], 'N'), '* [N][r]\n\n[r]: r.md\n')
  assert.is(retitleGroup('## G <a href="#g" id="g"></a>\n', [0], 'N'), '## N <a href="#g" id="g"></a>\n')
  assert.is(retitleGroup('## G <a href="#g" id="g"></a>\r\n', [0], 'N', 'n'), '## N <a href="#n" id="n"></a>\r\n')
  assert.is(retitleGroup('## G <a href="#g" id="g"></a>\n', [0], 'G', null), '## G\n')
  assert.is(retitleGroup('## G\n', [0], '1. Set-up #'), '## 1. Set-up \\#\n')
  assert.is(retitleGroup('G\n---\n', [0], '1. Set-up'), '1\\. Set-up\n---\n')
})

test('groups are added, moved and removed with their lines', () => {
  assert.is(
    insertGroup(sample, { title: 'N', slug: 'n', at: 1 }),
    sample.replace('## Start', '## N <a href="#n" id="n"></a>\n\n## Start'),
  )
  assert.is(
    insertGroup('* [a](a.md)\n* [b](b.md)\n', { title: 'N', at: 1 }),
    '* [a](a.md)\n\n## N\n\n***\n\n* [b](b.md)\n',
  )
  assert.is(removeGroup(sample, [1]), '# T\n\n* [Home](README.md)\n\n***\n\n* [D](d.md)\n')
  assert.equal(
    modelOf(removeGroup(sample, [1], { nested: 'keep' })).map((node) => node.title),
    ['Home', 'A', 'C', 'D'],
  )
  const two = '## A\n\n* [a](a.md)\n\n## B\n\n* [b](b.md)\n'
  assert.is(moveGroup(two, [1], 0), '## B\n\n* [b](b.md)\n\n## A\n\n* [a](a.md)\n')
})

test('entries move with all nested entries', () => {
  const text =
    '* [a](a.md)\n  * ```yaml\n    type: builtin:openapi\n    props:\n      x: 1\n    ```\n  * [b](b.md)\n* [c](c.md)\n'
  assert.is(
    moveEntry(text, [0], { parent: [1] }),
    '* [c](c.md)\n  * [a](a.md)\n    * ```yaml\n      type: builtin:openapi\n      props:\n        x: 1\n      ```\n    * [b](b.md)\n',
  )
  assert.is(moveEntry(moveEntry(text, [0], { parent: [1] }), [0, 0], { parent: null, at: 0 }), text)
  assert.throws(() => moveEntry(text, [0], { parent: [0, 1] }), /under itself/)
})

test('the children of a removed entry can take its place', () => {
  assert.is(
    removeEntry(sample, [1, 0], { nested: 'lift' }),
    sample.replace('* [A](a.md "Link title")\n  * [B](b.md)\n', '* [B](b.md)\n'),
  )
  assert.is(removeEntry(sample, [1, 0]), sample.replace('* [A](a.md "Link title")\n  * [B](b.md)\n', ''))
  // The third item would become a child of the first one, so it is moved out.
  assert.is(removeEntry('* [a](a.md)\n * [b](b.md)\n  * [c](c.md)\n', [1]), '* [a](a.md)\n* [c](c.md)\n')
})

const label = fc.oneof(
  fc.constantFrom(
    'A [b]',
    '*x*',
    'a_b_c',
    '_u_',
    '`code`',
    'a & b',
    '&amp;',
    '<b>',
    'C:\\x',
    '# h',
    '- d',
    '1. n',
    '> q',
    '***',
    'a * b',
    '!',
    ':smile:',
    '](x)',
    'x #',
    '~~~',
    '===',
    '[x]: y',
    'été 文',
    '\\',
    '\\[',
    '![',
  ),
  fc.string({ minLength: 1, maxLength: 12 }),
)
const words = (title: string): string => title.replace(/[\x00-\x20\x7f]+/g, ' ').replace(/^ | $/g, '')
const target = fc.oneof(
  fc.constantFrom(
    '',
    'a b.md',
    'a (1).md',
    'x_y.md',
    '<a>.md',
    'a\\b.md',
    'a&amp;b.md',
    'https://x.y/?a=b&c=d#e',
    'a%20b.md',
    ')(',
    'dir/README.md',
  ),
  fc.string({ maxLength: 12 }).filter((text) => !/[\x00-\x1f\x7f]/.test(text) && text === text.trim()),
)

test('every written title and target is read back unchanged', () => {
  fc.assert(
    fc.property(
      summaryText,
      label.filter((title) => words(title) !== ''),
      fc.option(target),
      fc.nat(),
      (text, title, href, pick) => {
        const all = paths(modelOf(text)).filter((path) => at(modelOf(text), path).type !== 'computed')
        const path = all[pick % Math.max(1, all.length)]
        if (!path) return
        const expected = modelOf(text)
        const node = at(expected, path)
        if (node.type === 'group') {
          node.title = words(title)
          assert.equal(modelOf(retitleGroup(text, path, title)), expected)
          return
        }
        node.title = words(title)
        node.href = href
        const spelled = (found: SummaryNode | Model | undefined): string | null =>
          found?.href?.replace(/%20/g, ' ').replace(/%28/g, '(').replace(/%29/g, ')') ?? null
        const done = modelOf(retargetEntry(retitleEntry(text, path, title), path, href))
        assert.is(spelled(at(done, path)), spelled(node), text)
        at(done, path).href = href
        assert.equal(done, expected)
      },
    ),
    { numRuns: runs(266, 4_000) },
  )
})

test('the file after any edit reads like the model, and other lines are unchanged', () => {
  const operation = fc.record({
    kind: fc.constantFrom('insert', 'remove', 'lift', 'move', 'group', 'ungroup', 'moveGroup'),
    a: fc.nat(),
    b: fc.nat(),
    c: fc.nat(),
  })
  fc.assert(
    fc.property(summaryText, fc.array(operation, { maxLength: 4 }), (start, operations) => {
      let text = start
      for (const { kind, a, b, c } of operations) {
        const model = modelOf(text)
        const before = text
        text = edit(text, model, kind, a, b, c)
        const context = `${kind} ${a} ${b} ${c}\n${JSON.stringify(before)}\n${JSON.stringify(text)}`
        assert.equal(modelOf(text), model, context)
        assert.equal(unlike(before, text), [], context)
      }
    }),
    { numRuns: runs(500, 7_500) },
  )
})

/** Lines by their text. Only the indent and marker of a line may change, unless it was removed. */
function unlike(before: string, after: string): string[] {
  const bare = (text: string): string[] =>
    text.split(/\r?\n/).map((line) => line.replace(/^\s*(?:[*+-]|\d+\.)\s+/, '').trim())
  const known = new Set([...bare(before), '', '***', '## New', '### New', '[New](new.md)'])
  return bare(after).filter((line) => !known.has(line))
}

/** Applies the edit to the text and to the model. */
function edit(text: string, model: Model[], kind: string, a: number, b: number, c: number): string {
  const all = paths(model)
  const entries = all.filter((path) => at(model, path).type !== 'group')
  const groups = all.filter((path) => at(model, path).type === 'group')
  const groupsBefore = (index: number): boolean => model[index - 1]?.type === 'group'
  if (kind === 'group') {
    const index = c % (model.length + 1)
    model.splice(index, 0, { type: 'group', title: 'New', href: null, children: [] })
    return insertGroup(text, { title: 'New', at: index })
  }
  const picked = (kind === 'ungroup' || kind === 'moveGroup' ? groups : entries)[
    a % Math.max(1, (kind === 'ungroup' || kind === 'moveGroup' ? groups : entries).length)
  ]
  if (kind === 'insert') {
    const parents: Array<number[] | null> = [null, ...all]
    const parent = parents[b % parents.length]!
    const list = parent ? at(model, parent).children : model
    const index = c % (list.length + 1)
    list.splice(index, 0, { type: 'entry', title: 'New', href: 'new.md', children: [] })
    return insertEntry(text, { title: 'New', href: 'new.md', parent, at: index })
  }
  if (!picked) return text
  const list = picked.length > 1 ? at(model, picked.slice(0, -1)).children : model
  const index = picked.at(-1)!
  const [node] = list.splice(index, 1)
  if (kind === 'remove') return removeEntry(text, picked)
  if (kind === 'ungroup') return removeGroup(text, picked)
  if (kind === 'lift') {
    list.splice(index, 0, ...node!.children)
    return removeEntry(text, picked, { nested: 'lift' })
  }
  if (kind === 'moveGroup') {
    const to = c % (model.length + 1)
    model.splice(to, 0, node!)
    return groupsBefore(-1) ? text : moveGroup(text, picked, to)
  }
  const parents: Array<Model | null> = [null, ...paths(model).map((path) => at(model, path))]
  const parent = parents[b % parents.length]!
  const siblings = parent ? parent.children : model
  const to = c % (siblings.length + 1)
  const where = parent ? modelPath(modelOf(text), picked, parent, model) : null
  siblings.splice(to, 0, node!)
  return moveEntry(text, picked, { parent: where, at: to })
}

/** Returns the path, before the cut at `cut`, of a node of the model after it. */
function modelPath(_: Model[], cut: number[], wanted: Model, model: Model[]): number[] {
  const path = paths(model).find((candidate) => at(model, candidate) === wanted)!
  const depth = cut.length - 1
  const touched =
    path.length > depth && cut.slice(0, depth).every((index, i) => path[i] === index) && path[depth]! >= cut[depth]!
  return path.map((index, i) => (touched && i === depth ? index + 1 : index))
}

test('inserting an entry next to others and removing it restores the same bytes', () => {
  fc.assert(
    fc.property(summaryText, fc.nat(), fc.nat(), (text, a, b) => {
      const model = modelOf(text)
      const parents = [null, ...paths(model)]
      const parent = parents[a % parents.length]!
      const list = parent ? at(model, parent).children : model
      if (!list.some((node) => node.type !== 'group')) return
      const index = b % (list.length + 1)
      if (list[index - 1]?.type === 'group' || (index === 0 && list[0]!.type === 'group')) return
      const done = insertEntry(text, { title: 'New', href: 'new.md', parent, at: index })
      assert.is(removeEntry(done, [...(parent ?? []), index]), text)
      assert.is(done.length > text.length, true)
    }),
    { numRuns: runs(266, 4_000) },
  )
})

test('an edit of a missing entry is rejected', () => {
  assert.throws(
    () => removeEntry(sample, [9]),
    (thrown: unknown) => thrown instanceof RangeError,
  )
  assert.throws(
    () => insertEntry(sample, { title: 'N', href: 'n', parent: [1], at: 9 }),
    (thrown: unknown) => thrown instanceof RangeError,
  )
  const [home] = parseSummary(sample).nodes
  assert.is(removeEntry(sample, home!).includes('Home'), false)
})

test('mdBook entries that cannot follow the last chapters are put before them', () => {
  const text = '# Summary\n\n[Preface](p.md)\n\n# Part\n\n- [a](a.md)\n\n[End](end.md)\n'
  const before = '- [a](a.md)\n'
  assert.is(insertGroup(text, { title: 'More' }), text.replace(before, `${before}\n# More\n\n***\n`))
  assert.is(
    insertEntry(text, { title: 'Soon', href: null, parent: null }),
    text.replace(before, `${before}\n***\n\n- Soon\n`),
  )
  assert.is(insertEntry(text, { title: 'Z', href: 'z.md', parent: null }), `${text}[Z](z.md)\n`)
  const told = '[Preface](p.md)\n\n- [a](a.md) tells of a\n- [b](b.md)\n'
  assert.is(moveEntry(told, [1], { parent: null, at: 0 }), '* [a](a.md) tells of a\n\n[Preface](p.md)\n\n- [b](b.md)\n')
  assert.throws(
    () => insertEntry('# T\n\n# Part\n\n[a](a.md)\n', { title: 'Soon', href: null, parent: [0], at: 0 }),
    /outside of lists first/,
  )
  const untitled = '[Preface](p.md)\n\n# Part\n\n- [a](a.md)\n'
  assert.match(moveGroup(untitled, [1], 0), /^## Part\n/)
  assert.match(moveGroup(`# T\n\n${untitled}`, [1], 0), /^# T\n\n# Part\n/)
  assert.match(insertGroup(untitled, { title: 'First', at: 0 }), /^## First\n/)
  assert.match(insertGroup('* [a](a.md)\n', { title: 'First' }), /\n## First\n/)
})

test.run()
