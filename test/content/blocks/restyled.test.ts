import * as assert from 'uvu/assert'
import { parseDocument } from '../../../src/content/blocks/parse.js'
import { printDocument } from '../../../src/content/blocks/print.js'
import { restyled } from '../../../src/content/blocks/restyle.js'
import type { BlockNode, DocumentNode, TextNode } from '../../../src/content/types.js'
import { suite } from '../../support/suite.js'
import { blockNode as block, textNode as text } from './support.js'

const test = suite('block trees: the style of an edited block')

const leavesOf = (nodes: BlockNode['nodes']): Array<TextNode['leaves'][number]> =>
  nodes.flatMap((node) => (node.object === 'text' ? node.leaves : leavesOf(node.nodes as BlockNode['nodes'])))

/** Returns the page after the first text with `word` gets another one. */
function edited(source: string, word: string, instead: string): string {
  const tree = parseDocument(source)
  const leaf = leavesOf(tree.nodes).find((one) => one.text.includes(word))
  assert.ok(leaf, `${word} in ${source}`)
  leaf!.text = leaf!.text.replace(word, instead)
  return printDocument(tree, source)
}

const HTML_TABLE = `<table>
  <thead>
    <tr>
      <th>A</th>
      <th width="100">B</th>
    </tr>
  </thead>
  <tbody>
    <tr>
      <td>one</td>
      <td>two WORD</td>
    </tr>
  </tbody>
</table>
`
/** Pages in which only WORD may change. */
const PAGES = [
  'An *old* WORD with __bold__, `code`, *x* and _y_.\n',
  'This is *WORD* and __b__.\n',
  'A __bold__ word and *it*  \nWORD\\\nx\n',
  'See [a][ref], <b>x</b>, <https://a.example> &amp; &copy; WORD\n\n[ref]: http://b.example\n',
  'Title WORD\n==========\n\ntext\n',
  '## Title WORD ##\n\ntext\n',
  'Line one   with  blanks. \nWORD * star and \\* escaped, snake_case, 2 * 3 * 4 <no-tag>\n',
  HTML_TABLE,
  '| a       | b |\n|:--------|--:|\n| long *x*   | WORD  |\n| c | 2 |\n',
  '> A *b* c\n> d WORD f\n> g\n',
  '- one *a*\n  WORD here\n- two\n',
  '1. one\n1. two *x*\n1. WORD *x*\n',
  '<figure><img src="a.png" alt="" width="300"><figcaption><p>WORD text</p></figcaption></figure>\n',
  '<details>\n\n<summary>Sum <i>x</i> WORD</summary>\n\nBody *y*\n\n</details>\n',
  '{% hint style="info" %}\nSome *x* WORD\nmore\n{% endhint %}\n',
  'Visit www.a.example or http://b.example/z_w_ WORD\n',
  '<pre class="language-sql"><code class="lang-sql">SELECT WORD\nFROM t;</code></pre>\n',
  '<pre class="language-sql"><code class="lang-sql">SELECT\n<strong>    CASE\n</strong>  WORD &#x26; &#x3C;a>\n</code></pre>\n',
  '<pre><code class="lang-js"><strong>&lt;a&gt; &amp;&amp; WORD\n\n</strong>  <mark>b</mark>;\n</code></pre>\n',
  '> <pre class="language-sql"><code class="lang-sql"><strong>one\n> </strong>WORD</code></pre>\n',
  '<table>\n  <tr>\n    <td>WORD</td>\n    <td><ul><li>a</li></ul></td>\n  </tr>\n</table>\n',
  '<table>\n  <tr>\n    <td>one</td>\n    <td>\n      <ol>\n        <li>a</li>\n        <li>WORD</li>\n      </ol>\n    </td>\n    <td><p>x</p><p>y</p></td>\n  </tr>\n</table>\n',
  '# WORD {#one}\n',
  '## WORD { #one .cls key="x y" }\n',
  '### A *b* WORD {: .cls}\n',
  'WORD { #one }\n===\n',
  'See [a ~ b  \nWORD ~c](x.md) and ~ more ~\n',
  'See [a  \nWORD *b*  \nc](x.md "t")  \nmore\n',
  '[WORD ~5 [x] \\~ y](https://a.example/~me)\n',
]

for (const page of PAGES) {
  for (const eol of ['\n', '\r\n']) {
    const source = page.replaceAll('\n', eol)
    test(`an edit and its reversal change only one word: ${JSON.stringify(source.slice(0, 60))}`, () => {
      const changed = edited(source, 'WORD', 'NEWS')
      assert.is(changed, source.replace('WORD', 'NEWS'))
      assert.is(edited(changed, 'NEWS', 'WORD'), source)
    })
  }
}

test('a new ~ between spaces, and a rewritten break, keep the style of the page', () => {
  assert.is(edited('See [a  \nWORD](x.md)\n', 'WORD', 'b ~ c'), 'See [a  \nb ~ c](x.md)\n')
  assert.is(edited('See [a  \nWORD](x.md)\n', 'WORD', '~b~'), 'See [a  \n\\~b\\~](x.md)\n')
})

function printed(source: string, edit: (tree: DocumentNode) => void): string {
  const tree = parseDocument(source)
  edit(tree)
  return printDocument(tree, source)
}
const childrenOf = (node: unknown): BlockNode[] => (node as BlockNode).nodes as BlockNode[]
const item = (words: string): BlockNode => block('list-item', {}, [block('paragraph', {}, [text(words)])])

test('new items of a list have the style of the list', () => {
  const add = (source: string): string => printed(source, ({ nodes }) => childrenOf(nodes[0]).push(item('new')))
  assert.is(add('- one *a*\n- two\n'), '- one *a*\n- two\n- new\n')
  assert.is(add('+ one *a*\n\n+ two\n'), '+ one *a*\n\n+ two\n\n+ new\n')
  assert.is(add('1) one *a*\n1) two\n'), '1) one *a*\n1) two\n1) new\n')
  assert.is(add('-   one\n-   two\n'), '-   one\n-   two\n-   new\n')
  assert.is(
    printed('-   one\n-   two\n', ({ nodes }) => childrenOf(nodes[0]).unshift(item('new'))),
    '-   new\n-   one\n-   two\n',
  )
  const links = '* [**A b**](#a): This. \n* [**C d**](#c): That. \n'
  for (const [at, wanted] of [
    `* new\n${links}`,
    links.replace('\n', '\n* new\n'),
    `${links.trimEnd()} \n* new\n`,
  ].entries())
    assert.is(
      printed(links, ({ nodes }) => childrenOf(nodes[0]).splice(at, 0, item('new'))),
      wanted,
    )
  const deep = '- one\n    - deep *x*\n- two\n'
  assert.is(
    printed(deep, ({ nodes }) => childrenOf(childrenOf(childrenOf(nodes[0])[0])[1]).push(item('new'))),
    '- one\n    - deep *x*\n    - new\n- two\n',
  )
  assert.is(
    printed('- one *a*\n- two\n- three\n', ({ nodes }) => childrenOf(nodes[0]).splice(1, 1)),
    '- one *a*\n- three\n',
  )
  assert.is(
    printed('- [ ] one *a*\n- [x] two\n', ({ nodes }) => {
      childrenOf(nodes[0])[0]!.data['checked'] = true
    }),
    '- [x] one *a*\n- [x] two\n',
  )
})

test('code that is a link is written inside the link', () => {
  const source = '- [`a`](a.md)\n- **[`b`](b.md)** and [`c` d](c.md)\n- e\n'
  assert.is(
    printed(source, ({ nodes }) => childrenOf(nodes[0]).splice(2, 1)),
    source.replace('- e\n', ''),
  )
  const tree = parseDocument(source)
  assert.is(printDocument(tree), source.replaceAll('- ', '* ').replace('**[`b`](b.md)**', '[**`b`**](b.md)'))
})

test('a new mark has the style of the block, and a block of another type keeps its text', () => {
  const source = 'Some *it* words\n'
  const italic = printed(source, ({ nodes }) => {
    const leaf = leavesOf(nodes).at(-1)!
    leaf.marks = leavesOf(nodes)[1]!.marks
    leaf.text = ' words'
  })
  assert.is(italic, 'Some *it words*\n')
  assert.is(
    printed('a *b* __c__\n', ({ nodes }) => {
      ;(nodes[0] as BlockNode).type = 'heading-2'
    }),
    '## a *b* __c__\n',
  )
})

test('the comparison of long blocks and of different texts is bounded', () => {
  const words = (count: number, seed: number): string =>
    Array.from({ length: count }, (_, at) => ((at * seed) % 9973).toString(36)).join(' ')
  assert.is(restyled(words(20_000, 7), words(20_000, 11), words(20_000, 13), String), null)
  assert.is(restyled(words(8000, 7), words(8000, 11), words(8000, 13), String), null)
  assert.is(restyled('*'.repeat(49_000), '_'.repeat(49_000), '-'.repeat(49_000), String), null)
})

test('an edit of a long item, or next to thousands of blank lines, takes bounded time', () => {
  const long = 'word '.repeat(5000).trim()
  const source = '-   *one*\n-   two\n'
  assert.is(
    printed(source, ({ nodes }) => childrenOf(nodes[0]).push(item(long))),
    `${source}-   ${long}\n`,
  )
  const gap = '\n'.repeat(20_000)
  assert.is(restyled(`a${gap}b`, `a${gap}b`, `a${gap}${gap}b`, String), `a${gap}${gap}b`)
  assert.is(restyled(`*a*${gap}b`, `_a_${gap}b`, `_a_${gap}${gap}c`, String), null)
})

test('an edit may change text that only the source has, and both ends of a block', () => {
  const as = (source: string, before: string, after: string): string | null => restyled(source, before, after, String)
  assert.is(as('*a* b', '_a_ b', '_a_ new b'), '*a* new b')
  assert.is(as('a   *b*', 'a _b_', 'a new _b_'), 'a new   *b*')
  assert.is(as('a', 'a', 'new a'), 'new a')
  assert.is(as('*a*', '_a_', '_a_ b'), '*a* b')
  assert.is(as('*a*', '_a_', 'b _a_'), 'b *a*')
  assert.is(as('**', '__', ''), '')
  assert.is(as('', '', 'a'), 'a')
  assert.is(as('- a\r\n- b', '* a\n* b', '* a\n* c'), '- a\r\n- c')
})

test.run()
