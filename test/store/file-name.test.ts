import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { fileNameOf } from '../../src/store/file-name.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'

const test = suite('file names of owners')

test('file names are safe and short for any string', () => {
  fc.assert(
    fc.property(unicodeText({ maxLength: 300 }), (text) => {
      assert.match(fileNameOf(text), /^[A-Za-z0-9_~-]{1,80}$/)
    }),
  )
})

test('the file name of a plain string is the string itself', () => {
  for (const plain of ['space1', 'a-b_c', '0']) assert.is(fileNameOf(plain), plain)
})

test('file names differ for different strings, even if the file system folds case', () => {
  const texts = [
    '',
    '_',
    '.',
    '..',
    'a',
    'A',
    'con',
    'CON',
    'a/b',
    'a-b',
    'a\u0000b',
    '\ud800',
    '\ud801',
    '\ufffd',
    'x'.repeat(61),
    'x'.repeat(62),
    'é',
    'e\u0301',
  ]
  assert.is(new Set(texts.map((text) => fileNameOf(text).toLowerCase())).size, texts.length)
})

test.run()
