import * as assert from 'uvu/assert'
import { insertEntry, moveEntry, removeEntry } from '../../src/content/summary/edit.js'
import { suite } from '../support/suite.js'

const test = suite('content: unusual lines of SUMMARY.md edited')

test('a comment beside entries stays where it is', () => {
  const text = '* [a](a.md)\n<!-- B -->\n* [b](b.md)\n  * [c](c.md)\n\n<!--\n* [d](d.md)\n-->\n'
  assert.is(removeEntry(text, [0]), text.replace('* [a](a.md)\n', ''))
  assert.is(removeEntry(text, [1, 0]), text.replace('  * [c](c.md)\n', ''))
  assert.is(insertEntry(text, { title: 'N', href: 'n.md', parent: null }), text.replace('(c.md)\n', '(c.md)\n* [N](n.md)\n'))
  assert.is(moveEntry(text, [0], { parent: null, at: 1 }), text.replace('* [a](a.md)\n', '').replace('(c.md)\n', '(c.md)\n* [a](a.md)\n'))
  const inside = '* [a](a.md)\n  * [b](b.md)\n  <!-- c -->\n  * [c](c.md)\n* [d](d.md)\n'
  assert.is(removeEntry(inside, [0, 0]), inside.replace('  * [b](b.md)\n', ''))
  assert.is(removeEntry(inside, [0]), '* [d](d.md)\n')
})

test.run()
