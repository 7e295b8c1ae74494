import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { findFrontMatterBlock, replaceBody, setFrontMatter } from '../../../src/content/edit/front-matter.js'
import { mergeFrontMatter, mergeYaml } from '../../../src/content/edit/merge-yaml.js'
import { YamlEditError, readYamlMap, setYamlKey } from '../../../src/content/edit/yaml.js'
import { suite } from '../../support/suite.js'

const test = suite('content: edits of front matter and YAML')

const page =
  "---\ntitle: 'It''s' # kept\ndescription: >-\n  Some folded\n  text\n# a comment\nlayout:\n  title:\n    visible: true\n  width: wide\nweight:   10\ntags: [a,  b]\n---\n\n# Title\n"

test('an edit of one key keeps the bytes of all other text', () => {
  assert.is(setFrontMatter(page, { title: 'New' }), page.replace("'It''s'", "'New'"))
  assert.is(setFrontMatter(page, { 'layout.title.visible': false }), page.replace('visible: true', 'visible: false'))
  assert.is(
    setFrontMatter(page, { 'layout.outline.visible': false }),
    page.replace('  width: wide\n', '  width: wide\n  outline:\n    visible: false\n'),
  )
  assert.is(
    setFrontMatter(page, { description: undefined }),
    page.replace('description: >-\n  Some folded\n  text\n', ''),
  )
  assert.is(setFrontMatter(page, { description: 'Other' }), page.replace('Some folded\n  text', 'Other'))
  assert.is(
    setFrontMatter(page, { hidden: true, weight: undefined }),
    page.replace('weight:   10\n', '').replace('tags: [a,  b]\n', 'tags: [a,  b]\nhidden: true\n'),
  )
  assert.is(setFrontMatter(page, { title: "It's", tags: ['a', 'b'] }), page)
  assert.is(
    setFrontMatter(page, { 'layout.title.visible': undefined }),
    page.replace('  title:\n    visible: true\n', ''),
  )
})

test('a new or removed block of front matter keeps the byte order mark and CRLF', () => {
  assert.is(
    setFrontMatter('\ufeff# T\r\n', { icon: 'x', hidden: true }),
    '\ufeff---\r\nicon: x\r\nhidden: true\r\n---\r\n\r\n# T\r\n',
  )
  assert.is(setFrontMatter('\ufeff---\r\nicon: x\r\n---\r\n\r\n# T\r\n', { icon: undefined }), '\ufeff# T\r\n')
  assert.is(setFrontMatter('---\r\na: 1\r\n---\r\n', { b: { c: 1 } }), '---\r\na: 1\r\nb:\r\n  c: 1\r\n---\r\n')
  assert.is(setFrontMatter('# T\n', { icon: undefined }), '# T\n')
  assert.throws(
    () => setFrontMatter('---\na: [\n---\n', { b: 1 }),
    (thrown: unknown) => thrown instanceof YamlEditError,
  )
})

test('a value that is set and restored leaves the same bytes', () => {
  const scalar = fc.oneof(
    fc.boolean(),
    fc.integer(),
    fc.string({ maxLength: 20 }).filter((text) => !/[\n\r\x00-\x1f\x7f-\x9f\ufeff]/.test(text)),
  )
  const key = fc.constantFrom(
    'icon',
    'title',
    'weight',
    'layout.width',
    'layout.title.visible',
    'layout.x.visible',
    'new',
    'cover',
  )
  fc.assert(
    fc.property(
      key,
      scalar,
      fc.constantFrom(page, page.replace(/\n/g, '\r\n'), '# T\n', '\ufeffbody'),
      (name, value, text) => {
        const block = findFrontMatterBlock(text)
        const was = name
          .split('.')
          .reduce<unknown>(
            (of, part) => (of as Record<string, unknown> | undefined)?.[part],
            block ? readYamlMap(text.slice(block.yamlStart, block.yamlEnd)) : {},
          )
        const done = setFrontMatter(text, { [name]: value })
        const after = findFrontMatterBlock(done)!
        const now = name
          .split('.')
          .reduce<unknown>(
            (of, part) => (of as Record<string, unknown>)[part],
            readYamlMap(done.slice(after.yamlStart, after.yamlEnd)),
          )
        assert.is(now, value)
        const plain = typeof value === 'string' && /^[b-m][a-z ]{3,}[b-m]$/.test(value)
        if (typeof was !== 'string' || plain) assert.is(setFrontMatter(done, { [name]: was }), text, done)
      },
    ),
    { numRuns: 500 },
  )
})

test('a new body replaces the old one, and its own front matter replaces the block', () => {
  assert.is(replaceBody(page, 'new\n'), `${page.slice(0, page.indexOf('\n# Title'))}new\n`)
  assert.is(replaceBody(page, '---\na: 1\n---\nnew\n'), '---\na: 1\n---\nnew\n')
  assert.is(replaceBody('\ufeffold', 'new'), '\ufeffnew')
})

test('keys of YAML files can be added, changed and removed', () => {
  const vars = 'version: "1.0" # now\nname: x\n'
  assert.is(setYamlKey(vars, ['version'], '2.0'), 'version: "2.0" # now\nname: x\n')
  assert.is(setYamlKey('a: 1', ['b'], 'yes: no'), 'a: 1\nb: "yes: no"')
  assert.is(setYamlKey('', ['redirects', 'a/b'], 'c.md'), 'redirects:\n  a/b: c.md\n')
  assert.is(setYamlKey('\ufeffa: 1\n', ['a'], undefined), '\ufeff')
  assert.is(setYamlKey('\ufeffa: 1\nb: 2\n', ['a'], 3), '\ufeffa: 3\nb: 2\n')
  assert.is(setYamlKey('a:\nb: 1\n', ['a'], 'x'), 'a: x\nb: 1\n')
  assert.is(setYamlKey('a: {b: 1}\n', ['a', 'c'], 2), 'a: { b: 1, c: 2 }\n')
})

test('front matter is merged key by key', () => {
  const base = 'a: 1\nb:\n  c: 1\n  d: 1\n'
  assert.equal(mergeYaml(base, 'a: 2 # two\nb:\n  c: 1\n  d: 1\n', 'a: 1\nb:\n  c: 1\n  d: 2\ne: 5\n'), {
    text: 'a: 2 # two\nb:\n  c: 1\n  d: 2\ne: 5\n',
  })
  assert.equal(mergeYaml(base, base.replace('a: 1', 'a: 2'), base.replace('a: 1', 'a: 3')), {
    conflict: 'Both sides changed a in different ways.',
  })
  assert.ok('conflict' in mergeYaml(base, 'a: [', 'a: 2\n'))
  assert.equal(mergeFrontMatter('# T\n', '---\nicon: x\n---\n\n# O\n', '---\nhidden: true\n---\n\n# T\n'), {
    text: '---\nicon: x\nhidden: true\n---\n\n# O\n',
  })
})

test.run()
