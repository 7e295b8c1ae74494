import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { entrySlug, groupSlug, MAX_SLUG_LENGTH, pageSlug, SlugSet, slugify } from '../../src/content/slug.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'

const test = suite('content: slugs')

for (const [key, slug] of [
  ['README.md', 'readme'],
  ['readme.md', 'readme'],
  ['guides/README.md', 'guides'],
  ['a/b/readme.md', 'b'],
  ['a/index.md', 'index'],
  ['a/elsa-server-+-studio.md', 'elsa-server-+-studio'],
  ['a/BasicConcepts.md', 'BasicConcepts'],
  ['v1.2.md', 'v1.2'],
  ['x.markdown', 'x'],
  ['a/Über uns.md', 'Über uns'],
  ['...md', 'page'],
  ['.md', 'page'],
] as const)
  test(`a page has the slug of its key: ${key}`, () => assert.is(pageSlug(key), slug))

for (const [title, slug] of [
  ['Getting Started', 'getting-started'],
  ['Security & Hardening', 'security-and-hardening'],
  ['Q&A', 'q-and-a'],
  ['Version 2.0', 'version-2.0'],
  ['Server + Studio (WASM)', 'server-+-studio-wasm'],
  ['CI/CD', 'ci-cd'],
  ['What’s new?', 'whats-new'],
  ['Référence', 'reference'],
  ['はじめに', 'はじめに'],
  ['Начало работы', 'начало-работы'],
  ['한국어 문서', '한국어-문서'],
  ['हिन्दी', 'हिन्दी'],
  ['🚀 Launch', 'launch'],
] as const)
  test(`a group has the slug of its title: ${title}`, () => assert.is(groupSlug(title), slug))

test('a group keeps the slug that its anchor stores', () => {
  assert.is(groupSlug('Renamed since', 'first-name'), 'first-name')
  assert.is(groupSlug('Title', '  '), 'title')
  assert.is(groupSlug('Title', 'a/b c'), 'a-b-c')
})

test('a title without letters has a slug', () => {
  assert.is(groupSlug('🚀'), 'group')
  assert.is(groupSlug(''), 'group')
  assert.is(entrySlug('!!!'), 'page')
})

test('slugs are never empty, too long, "." or ".."', () => {
  fc.assert(
    fc.property(unicodeText({ maxLength: 300 }), fc.string({ unit: 'grapheme', maxLength: 150 }), (text, anchor) => {
      for (const slug of [
        pageSlug(text),
        pageSlug(`${text}.md`),
        groupSlug(text),
        groupSlug(text, anchor),
        entrySlug(text),
      ]) {
        assert.ok(slug !== '' && slug !== '.' && slug !== '..' && !slug.includes('/'), slug)
        assert.ok([...slug].length <= MAX_SLUG_LENGTH)
      }
      assert.is(slugify(slugify(text)), slugify(text))
    }),
  )
})

test('siblings get suffixes in their order, and never share a slug', () => {
  const slugs = new SlugSet()
  assert.equal(
    ['a', 'a', 'a-1', 'a', 'b'].map((slug) => slugs.take(slug)),
    ['a', 'a-1', 'a-1-1', 'a-2', 'b'],
  )
  const long = new SlugSet()
  const taken = Array.from({ length: 200 }, () => long.take('x'.repeat(100)))
  assert.is(new Set(taken).size, 200)
  assert.ok(taken.every((slug) => slug.length <= MAX_SLUG_LENGTH))
})

test.run()
