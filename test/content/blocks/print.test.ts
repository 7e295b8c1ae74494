import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { fingerprint } from '../../../src/content/blocks/meaning.js'
import { parseDocument } from '../../../src/content/blocks/parse.js'
import { printDocument } from '../../../src/content/blocks/print.js'
import type { BlockNode, DocumentNode, TextNode } from '../../../src/content/types.js'
import { runs } from '../../support/soak.js'
import { suite } from '../../support/suite.js'
import { fixtures } from './fixtures.js'
import { soup } from './soup.js'
import { blockNode as block, textNode as text } from './support.js'

const test = suite('block trees written as markdown')

for (const [name, markdown] of fixtures) {
  test(`a written tree reads back unchanged: ${name}`, () => {
    const tree = parseDocument(markdown)
    assert.is(fingerprint(parseDocument(printDocument(tree))), fingerprint(tree))
  })
}

test('an unchanged tree returns its source, byte for byte', () => {
  fc.assert(
    fc.property(soup, (markdown) => assert.is(printDocument(parseDocument(markdown), markdown), markdown)),
    { numRuns: runs(200, 5_000) },
  )
})

test('a written tree of any text reads back unchanged, or is rejected', () => {
  fc.assert(
    fc.property(soup, (markdown) => {
      try {
        printDocument(parseDocument(markdown))
      } catch (error) {
        assert.instance(error, TypeError)
        assert.match((error as Error).message, /^nodes(\/\d+)*/)
      }
    }),
    { numRuns: runs(150, 5_000) },
  )
})

const leavesOf = (nodes: BlockNode['nodes']): Array<TextNode['leaves'][number]> =>
  nodes.flatMap((node) => (node.object === 'text' ? node.leaves : leavesOf(node.nodes as BlockNode['nodes'])))

const page = (eol = '\n'): string =>
  [
    '# Title',
    'directly below',
    '',
    '',
    '*  wide   bullet',
    '   * deep *star*',
    '',
    '     {% hint style=warning %}',
    '     in a list',
    '     {% endhint %}',
    '-   other',
    '',
    "{% tabs   fullWidth='true' %}",
    "{% tab title='A' %}",
    'Old __text__ here',
    '{% endtab %}',
    '',
    '{% tab title="B" %}',
    '> quoted',
    '> lines',
    '{% endtab %}',
    '{% endtabs %}',
    'end',
    '',
    '<details  open><summary>Why <i>so</i></summary>',
    '',
    'Because',
    '</details>',
    '',
  ].join(eol)

for (const eol of ['\n', '\r\n']) {
  test(`one changed text changes only the lines of its block ${JSON.stringify(eol)}`, () => {
    const source = page(eol)
    const total = leavesOf(parseDocument(source).nodes).length
    for (let index = 0; index < total; index++) {
      const tree = parseDocument(source)
      const leaf = leavesOf(tree.nodes)[index] as TextNode['leaves'][number]
      leaf.text = leaf.text.replace(/\w+/, 'CHANGED')
      const written = printDocument(tree, source)
      const [before, after] = [source.split(eol), written.split(eol)]
      assert.is(after.length, before.length, written)
      const changed = after.filter((line, at) => line !== before[at])
      assert.ok(
        changed.length === 1 || (changed.length === 2 && changed[0]?.startsWith('>')),
        `${changed.length}: ${changed.join(' | ')}`,
      )
      assert.match(written, 'CHANGED')
    }
  })
}

const documentOf = (...nodes: BlockNode['nodes']): DocumentNode => ({
  object: 'document',
  data: { schemaVersion: 1 },
  nodes: nodes as BlockNode[],
})

test('other blocks keep their bytes when blocks are added and removed', () => {
  const source = 'one\n***\n\n* list\n\nthree\n'
  const tree = parseDocument(source)
  tree.nodes.splice(2, 0, block('hint', { style: 'info' }, [block('paragraph', {}, [text('new')])]))
  assert.is(printDocument(tree, source), 'one\n***\n\n{% hint style="info" %}\nnew\n{% endhint %}\n\n* list\n\nthree\n')
  const less = parseDocument(source)
  less.nodes.splice(2, 1)
  assert.is(printDocument(less, source), 'one\n***\n\nthree\n')
})

test('no written text breaks out of its context', () => {
  const RUNS = runs(400, 10_000)
  const hostile = fc.array(
    fc.constantFrom(
      '{% endhint %}',
      '{% hint %}',
      '%}',
      '"',
      "'",
      '\\',
      '\n',
      '\n\n',
      '```',
      '</a>',
      '<script>',
      '](x)',
      '[',
      '$$',
      '{{ x }}',
      '-->',
      '|',
      '# ',
      '* ',
      'a',
      ' ',
      '`',
      '*',
      '_',
      '~~',
      '&lt;',
      'http://a.b',
      '\u0000',
    ),
    { maxLength: 12 },
  )
  const string = hostile.map((parts) => parts.join(''))
  const link = (value: string, url: string) => ({
    object: 'inline' as const,
    type: 'link',
    key: '',
    isVoid: false,
    data: { ref: { kind: 'url', url } },
    nodes: [text(value)],
  })
  let written = 0
  fc.assert(
    fc.property(string, string, fc.nat(6), (one, two, kind) => {
      const made = [
        () => block('hint', { style: one }, [block('paragraph', {}, [text(two)])]),
        () =>
          block('paragraph', {}, [
            text('x'),
            link(one, two),
            text(one, [{ object: 'mark', type: 'color', data: { color: two } }]),
          ]),
        () => block('code', { syntax: 'js', title: one }, [text(two)]),
        () => block('images', { align: 'left' }, [block('image', { ref: { kind: 'file', url: one }, alt: two })]),
        () =>
          block('table', { view: 'cards' }, [
            block('table-row', { header: true }, [
              block('table-cell', {}, [text(one)]),
              block('table-cell', {}, [text(two)]),
            ]),
          ]),
        () =>
          block('expandable', {}, [block('expandable-title', {}, [text(one)]), block('paragraph', {}, [text(two)])]),
        () => block('html', { html: one }, [text(two)]),
      ][kind] as () => BlockNode
      const last = block('paragraph', {}, [text('last')])
      try {
        const nodes = parseDocument(printDocument(documentOf(made(), last))).nodes
        written++
        assert.ok(nodes.length <= 2)
        assert.is(leavesOf([nodes.at(-1) as BlockNode])[0]?.text, 'last')
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
      }
    }),
    { numRuns: RUNS },
  )
  assert.ok(written > RUNS / 3, `${written} were written`)
})

const refused: Array<[string, unknown, RegExp]> = [
  ['no object', 3, /^object: must be "document"/],
  ['an unknown type', documentOf(block('exec', {})), /^nodes\/0\/type: "exec" is not a known type/],
  [
    'an unknown mark',
    documentOf(block('paragraph', {}, [text('a', [{ object: 'mark', type: 'blink', data: {} }])])),
    /^nodes\/0\/nodes\/0\/leaves\/0\/marks\/0\/type/,
  ],
  ['a block in a paragraph', documentOf(block('paragraph', {}, [block('hint', {})])), /^nodes\/0\/nodes\/0\/object/],
  [
    'data of another type',
    documentOf(block('divider', {}), block('hint', { style: 3 })),
    /^nodes\/1\/data\/style: must be a string/,
  ],
  [
    'a tag that ends early',
    documentOf(block('hint', { style: 'a %} b' })),
    /^nodes\/0\/data\/attributes\/style: cannot contain/,
  ],
  [
    'an attribute that is none',
    documentOf(block('hint', { attributes: { 'a %}': 'b' } })),
    /^nodes\/0\/data\/attributes: /,
  ],
  [
    'html that is more than itself',
    documentOf(block('html', {}, [text('<p>\n\n# x')])),
    /^nodes\/0: cannot be written/,
  ],
  ['no text', documentOf({ object: 'text', key: '', leaves: [] } as never), /^nodes\/0\/object/],
]
for (const [name, document, message] of refused) {
  test(`a tree is rejected: ${name}`, () => {
    assert.throws(
      () => printDocument(document as DocumentNode),
      (error: Error) => error instanceof TypeError && message.test(error.message),
    )
  })
}

test('a tree beyond the limits of nesting and size is rejected', () => {
  let deep = block('paragraph', {}, [text('a')])
  for (let depth = 0; depth < 10_000; depth++) deep = block('blockquote', {}, [deep])
  assert.throws(() => printDocument(documentOf(deep)), /nested deeper than/)
  assert.throws(
    () => printDocument({ ...documentOf(), nodes: Array.from({ length: 200_001 }, () => block('divider', {})) }),
    /at most 200000 nodes/,
  )
  assert.throws(
    () => printDocument(documentOf(block('raw', {}, [text('a'.repeat(5_000_000))]))),
    /at most \d+ characters/,
  )
})

const manyTexts = (count: number): DocumentNode =>
  documentOf(...Array.from({ length: count }, () => block('paragraph', {}, [text('*a*_b_[c]~d~')])))

test('texts that are too costly only in total are rejected', () => {
  assert.throws(
    () => printDocument(manyTexts(28_000)),
    /^nodes: It has 224000 inline markers, so it is too costly to parse/,
  )
  const few = manyTexts(1_000)
  assert.is(fingerprint(parseDocument(printDocument(few))), fingerprint(few))
})

test.run()
