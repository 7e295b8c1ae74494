import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { keepLineEnds } from '../../src/content/edit/line-ends.js'
import { suite } from '../support/suite.js'

const test = suite('line ends')

test('a text with one kind of line end keeps it, whatever is sent', () => {
  const line = fc.constantFrom('', 'a', 'b', 'c', '# x')
  const end = fc.constantFrom('\r\n', '\n')
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.array(fc.tuple(line, end)), end, (old, next, kept) => {
      const put = next.map(([text, eol]) => text + eol).join('')
      assert.is(keepLineEnds(old.map((text) => text + kept).join(''), put), put.replace(/\r\n|\n/g, kept))
    }),
  )
})

test('existing lines of a mixed text keep their line end, and new ones copy the line before', () => {
  const old = 'one\r\ntwo\nthree\r\n\r\nfour\n\nfive\r\n'
  assert.is(keepLineEnds(old, old.replaceAll('\r\n', '\n')), old)
  assert.is(
    keepLineEnds(old, 'zero\none\ntwo\nnew\nthree\nmore\n\nfour\n\nfive\n'),
    'zero\r\none\r\ntwo\nnew\nthree\r\nmore\r\n\r\nfour\n\nfive\r\n',
  )
  assert.is(keepLineEnds(old, 'two\nfive'), 'two\nfive')
  assert.is(keepLineEnds('none', 'a\r\nb\n'), 'a\r\nb\n')
})

test('a mixed text that is sent back with other line ends is not changed', () => {
  const text = fc.array(fc.tuple(fc.constantFrom('', 'a', 'b', 'c', 'd', 'e'), fc.constantFrom('\r\n', '\n')), {
    minLength: 1,
  })
  fc.assert(
    fc.property(text, (lines) => {
      const old = lines.map(([line, end]) => line + end).join('')
      assert.is(keepLineEnds(old, old.replaceAll('\r\n', '\n')), old)
    }),
  )
})

test.run()
