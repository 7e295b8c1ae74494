import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { namedTags, readTags } from '../../src/content/tags.js'
import { inPlace } from '../../src/content/work/direct.js'
import { suite } from '../support/suite.js'

const test = suite('tags')
const read = (text: string) => readTags(inPlace, text, '.gitbook/tags.yaml')

const files: [what: string, text: string, tags: object, faults?: number][] = [
  ['nothing', '', {}],
  ['a list', '- tag: api\n  label: API\n  icon: code\n- tag: beta\n', { api: 'API', beta: 'beta' }],
  ['a list of words', '- api\n- 2024\n', { api: 'api', 2024: '2024' }],
  [
    'a map',
    'releases:\n  label: Releases\n  color: "#C74634"\nnew: Brand new\nold:\n',
    { releases: 'Releases', new: 'Brand new', old: 'old' },
  ],
  ['a list below tags', 'tags:\n  - tag: api\n    label: API\n', { api: 'API' }],
  ['a text', 'api', {}, 1],
  ['no YAML', '- tag: [', {}, 1],
  [
    'entries that name nothing',
    '- label: API\n- tag: ""\n- [a]\n- tag: ok\n  label: {x: y}\n- tag: fine\n',
    { fine: 'fine' },
    4,
  ],
  ['a label that is too long', `a: ${'x'.repeat(101)}\nb: B\n`, { b: 'B' }, 1],
  ['a name of ECMAScript', '- tag: constructor\n  label: C\n', { constructor: 'C' }],
  [
    'too many',
    Array.from({ length: 1001 }, (_, n) => `- t${n}\n`).join(''),
    Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`t${n}`, `t${n}`])),
    1,
  ],
]
for (const [what, text, tags, faults = 0] of files)
  test(`tags are read from ${what}`, async () => {
    const found = await read(text)
    assert.equal(Object.fromEntries(found.tags.map(({ slug, label }) => [slug, label])), tags)
    assert.is(found.diagnostics.length, faults, JSON.stringify(found.diagnostics))
  })

test('a page shows each tag once by name, and unnamed tags as written', () => {
  assert.equal(namedTags(['api', 'x', 'api', 'API', 'toString'], [{ slug: 'api', label: 'API' }]), [
    'API',
    'x',
    'toString',
  ])
  assert.equal(namedTags(undefined, []), [])
  assert.is(
    namedTags(
      Array.from({ length: 500 }, (_, n) => `t${n}`),
      [],
    ).length,
    100,
  )
})

test('a tag keeps its color, emoji and icon, and tags keep the order of the file', async () => {
  const { tags } = await read(
    '- slug: beta\n  label: Beta\n  color: "#ff0000"\n  emoji: 🧪\n- tag: api\n  icon: code\n  color: [red]\n',
  )
  assert.equal(tags, [
    { slug: 'beta', label: 'Beta', color: '#ff0000', emoji: '🧪' },
    { slug: 'api', label: 'api', icon: 'code' },
  ])
})

test('the tag parser accepts any text', () =>
  fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
      const { tags } = await read(text)
      for (const { slug, label } of tags) assert.ok(slug.length <= 100 && label.length <= 100)
    }),
  ))

test.run()
