import * as assert from 'uvu/assert'
import { insertEntry, moveEntry, removeEntry } from '../../../src/content/summary/edit.js'
import { suite } from '../../support/suite.js'
import { modelOf, paths } from './model.js'

const test = suite('content: unusual lines of SUMMARY.md edited')

test('a comment beside entries stays where it is', () => {
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

test('bullets with a tab after them move with what is nested in them', () => {
  const text = '*\t[a](a.md)\n*\t[b](b.md)\n\t*\t[c](c.md)\n\t\t*\t[d](d.md)\n'
  assert.is(
    moveEntry(text, [1], { parent: null, at: 0 }),
    '*\t[b](b.md)\n\t*\t[c](c.md)\n\t\t*\t[d](d.md)\n*\t[a](a.md)\n',
  )
  const under = moveEntry(text, [1], { parent: [0] })
  assert.equal(paths(modelOf(under)), [[0], [0, 0], [0, 0, 0], [0, 0, 0, 0]])
  assert.equal(paths(modelOf(moveEntry(under, [0, 0], { parent: null }))), paths(modelOf(text)))
})

test.run()
