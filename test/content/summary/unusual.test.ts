import * as assert from 'uvu/assert'
import fc from 'fast-check'
import {
  insertEntry,
  insertGroup,
  moveEntry,
  removeEntry,
  retargetEntry,
  retitleEntry,
} from '../../../src/content/summary/edit.js'
import { mergeSummary } from '../../../src/content/summary/merge.js'
import { parseSummary } from '../../../src/content/summary/parse.js'
import { suite } from '../../support/suite.js'
import { modelOf, paths } from './model.js'

const test = suite('content: edits of unusual lines in SUMMARY.md')

test('a comment between entries keeps its position', () => {
  const text = '* [a](a.md)\n<!-- B -->\n* [b](b.md)\n  * [c](c.md)\n\n<!--\n* [d](d.md)\n-->\n'
  assert.is(removeEntry(text, [0]), text.replace('* [a](a.md)\n', ''))
  assert.is(removeEntry(text, [1, 0]), text.replace('  * [c](c.md)\n', ''))
  assert.is(
    insertEntry(text, { title: 'N', href: 'n.md', parent: null }),
    text.replace('(c.md)\n', '(c.md)\n* [N](n.md)\n'),
  )
  assert.is(
    moveEntry(text, [0], { parent: null, at: 1 }),
    text.replace('* [a](a.md)\n', '').replace('(c.md)\n', '(c.md)\n* [a](a.md)\n'),
  )
  const inside = '* [a](a.md)\n  * [b](b.md)\n  <!-- c -->\n  * [c](c.md)\n* [d](d.md)\n'
  assert.is(removeEntry(inside, [0, 0]), inside.replace('  * [b](b.md)\n', ''))
  assert.is(removeEntry(inside, [0]), '* [d](d.md)\n')
})

test('entries with a tab after the bullet move with their nested entries', () => {
  const text = '*\t[a](a.md)\n*\t[b](b.md)\n\t*\t[c](c.md)\n\t\t*\t[d](d.md)\n'
  assert.is(
    moveEntry(text, [1], { parent: null, at: 0 }),
    '*\t[b](b.md)\n\t*\t[c](c.md)\n\t\t*\t[d](d.md)\n*\t[a](a.md)\n',
  )
  const under = moveEntry(text, [1], { parent: [0] })
  assert.equal(paths(modelOf(under)), [[0], [0, 0], [0, 0, 0], [0, 0, 0, 0]])
  assert.equal(paths(modelOf(moveEntry(under, [0, 0], { parent: null }))), paths(modelOf(text)))
})

const CHAPTERS = '# Summary\r\n\r\n[A](a.md) [B](b.md "B"), *[C](c.md)* | [D](d.md)\r\n[E](e.md)\r\n\r\n- [F](f.md)\r\n'

test('each link on a line of mdBook chapters is a chapter that can be edited separately', () => {
  const { nodes, diagnostics } = parseSummary(CHAPTERS)
  assert.equal(
    nodes.map(({ title, href, line, start }) => `${title} ${href} ${line} ${CHAPTERS.indexOf(`[${title}]`) - start}`),
    ['A a.md 3 0', 'B b.md 3 0', 'C c.md 3 1', 'D d.md 3 0', 'E e.md 4 0', 'F f.md 6 2'],
  )
  assert.equal(diagnostics, [])
  const a = nodes[0]!
  const b = nodes[1]!
  const c = nodes[2]!
  assert.is(removeEntry(CHAPTERS, a), CHAPTERS.replace('[A](a.md) ', ''))
  assert.is(removeEntry(CHAPTERS, b), CHAPTERS.replace(' [B](b.md "B")', ''))
  assert.is(retitleEntry(CHAPTERS, b, 'New'), CHAPTERS.replace('[B]', '[New]'))
  assert.is(retargetEntry(CHAPTERS, c, 'x/c.md'), CHAPTERS.replace('c.md', 'x/c.md'))
  assert.is(removeEntry(CHAPTERS, c), CHAPTERS.replace(', *[C](c.md)*', ''))
  assert.is(
    moveEntry(CHAPTERS, a, { parent: null, at: 4 }),
    CHAPTERS.replace('[A](a.md) ', '').replace('(e.md)\r\n', '(e.md)\r\n[A](a.md)\r\n'),
  )
  assert.is(
    moveEntry(CHAPTERS, b, { parent: null, at: 5 }),
    `${CHAPTERS.replace(' [B](b.md "B")', '')}- [B](b.md "B")\r\n`,
  )
})

test('a line of mdBook chapters is split where another entry comes between them', () => {
  const text = '# Summary\n\n[A](a.md) [B](b.md)\n'
  const at = { parent: null, at: 1 }
  assert.is(insertEntry(text, { title: 'N', href: 'n.md', ...at }), '# Summary\n\n[A](a.md)\n[N](n.md)\n[B](b.md)\n')
  assert.is(insertEntry(text, { title: 'N', href: null, ...at }), '# Summary\n\n[A](a.md)\n\n* N\n\n[B](b.md)\n')
  assert.is(insertGroup(text, { title: 'G', at: 1 }), '# Summary\n\n[A](a.md)\n\n## G\n\n***\n\n[B](b.md)\n')
  const edited = mergeSummary(text, text.replace('[A]', '[Ours]'), text.replace('[B](b.md)', '[N](n.md) [B](b.md)'))
  assert.equal(edited, { text: '# Summary\n\n[Ours](a.md)\n[N](n.md)\n[B](b.md)\n' })
})

test('edits of chapters that share lines change only the chapters that they name', () => {
  const separator = fc.constantFrom(' ', ', ', ' | ', '\t', ' and ')
  const lines = fc.array(fc.array(separator, { maxLength: 3 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(lines, fc.constantFrom('', '- [z](z.md)\n'), fc.nat(), fc.nat(), (shapes, list, pick, to) => {
      let count = 0
      const next = (): string => `[T${count}](p${count++}.md)`
      const text = `${shapes.map((separators) => separators.reduce((line, one) => line + one + next(), next())).join('\n')}\n\n${list}`
      const before = modelOf(text)
      assert.is(before.length, count + (list === '' ? 0 : 1))
      const from = pick % count
      const without = before.filter((_, i) => i !== from)
      const own = before[from]!
      assert.equal(modelOf(removeEntry(text, [from])), without)
      const at = to % count
      assert.equal(modelOf(moveEntry(text, [from], { parent: null, at })), [
        ...without.slice(0, at),
        own,
        ...without.slice(at),
      ])
      assert.is(retitleEntry(text, [from], 'New'), text.replace(`[T${from}]`, '[New]'))
      const added = { type: 'entry' as const, title: 'N', href: 'n.md', children: [] }
      assert.equal(modelOf(insertEntry(text, { title: 'N', href: 'n.md', parent: null, at })), [
        ...before.slice(0, at),
        added,
        ...before.slice(at),
      ])
    }),
  )
})

test.run()
