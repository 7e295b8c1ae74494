import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { termsOf } from '../../src/search/query.js'
import { snippet } from '../../src/search/snippet.js'
import { eachToken, fold, indexedWords } from '../../src/search/tokens.js'
import { distance, formsOf, isCorrectable, maxMistakes } from '../../src/search/typos.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'

const test = suite('words of texts and queries')

test('words are split by script, and names by their parts', () => {
  assert.equal(indexedWords('Use listAllPages, or HTTPServer2 (v1.2).'), [
    'use',
    'listallpages',
    'list',
    'all',
    'pages',
    'or',
    'httpserver2',
    'http',
    'server2',
    'v1',
    '2',
  ])
  assert.equal(indexedWords('iPhone手机壳'), ['iphone', 'phone', '手机', '机壳', '壳'])
  assert.equal(indexedWords('한국어 ไทย'), ['한국', '국어', '어', 'ไท', 'ทย', 'ย'])
  assert.equal(indexedWords('snake_case — «naïve» ＦＵＬＬ'), ['snake', 'case', 'naive', 'full'])
  assert.equal(indexedWords('हिन्दी में'), ['हिन्दी', 'में'])
  assert.is(fold('x'.repeat(500)).length, 40)
})

test('queries have terms, and only the last word may be unfinished', () => {
  assert.equal(termsOf('Deploy deploy kuber'), [
    { word: 'deploy', last: false },
    { word: 'kuber', last: true },
  ])
  assert.equal(termsOf('kuber '), [{ word: 'kuber', last: false }])
  assert.equal(termsOf('listAllPages'), [{ word: 'listallpages', last: true }])
  assert.equal(termsOf('安装指南 go'), [{ pairs: ['安装', '装指', '指南'] }, { word: 'go', last: true }])
  assert.equal(termsOf('安'), [{ pairs: ['安'] }])
  assert.is(termsOf(Array.from({ length: 200 }, (_, i) => `w${i}`).join(' ')).length, 12)
})

const anyText = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), unicodeText({ maxLength: 60 }))

test('words contain only letters, marks and digits, and have the right positions', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      eachToken(text, ({ word, start, end }) => {
        assert.match(word, /^[\p{L}\p{M}\p{N}]+$/u)
        assert.ok(start >= 0 && end > start && end <= text.length)
      })
    }),
    { numRuns: 2_000 },
  )
})

test('a word and a misspelling of it have a form in common', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 5, maxLength: 14 })
  fc.assert(
    fc.property(word, fc.nat(), fc.constantFrom('drop', 'add', 'change', 'swap'), (right, where, how) => {
      const at = where % (right.length - 1)
      const [before, after] = [right.slice(0, at), right.slice(at)]
      const wrong = {
        drop: before + after.slice(1),
        add: `${before}z${after}`,
        change: `${before}z${after.slice(1)}`,
        swap: before + after[1] + after[0] + after.slice(2),
      }[how]
      if (!isCorrectable(wrong)) return
      assert.ok(distance(right, wrong, 2) <= 1, `${right} ${wrong}`)
      const forms = new Set(formsOf(right))
      assert.ok(
        formsOf(wrong).some((form) => forms.has(form)),
        `${right} ${wrong}`,
      )
      assert.ok(formsOf(right).length <= 30)
    }),
    { numRuns: 2_000 },
  )
  assert.is(maxMistakes('abcdefg'), 1)
  assert.is(distance('kuberntes', 'kubernetes', 2), 1)
  assert.is(distance('abc', 'xyz', 2), 3)
})

test('result bodies are short and have balanced marks for any text', () => {
  const text = fc
    .array(fc.oneof(anyText, fc.constantFrom('apple', '**', '苹果', ' ', '\n', '*')), { maxLength: 200 })
    .map((parts) => parts.join(' '))
  const terms = [
    { expression: '', words: new Set(['apple']), prefix: 'app', pairs: [] },
    { expression: '', words: new Set<string>(), prefix: null, pairs: ['苹果'] },
  ]
  fc.assert(
    fc.property(text, (one) => {
      const { body, matches } = snippet(one, terms)
      assert.is(body.split('**').length % 2, 1, body)
      assert.ok(body.replaceAll('**', '').length <= 302, `${body.length}`)
      if (matches > 0) assert.ok(body.includes('**'), JSON.stringify([one, body]))
    }),
    { numRuns: 300 },
  )
})

test.run()
