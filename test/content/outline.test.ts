import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { plainText } from '../../src/content/blocks/node.js'
import { parseDocument } from '../../src/content/blocks/parse.js'
import { readPage } from '../../src/content/front-matter.js'
import { makeFacts } from '../../src/content/facts.js'
import { anchorOf, anchorsOf } from '../../src/content/outline/anchors.js'
import { findAnchor } from '../../src/content/outline/find-anchor.js'
import type { Outline, Section } from '../../src/content/outline/outline.js'
import type { BlockNode } from '../../src/content/types.js'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { writtenPage } from './page-soup.js'

const test = suite('outlines, and text by section')

const read = (markdown: string): { outline: Outline; sections: readonly Section[] } => makeFacts(Buffer.from(markdown))
const headings = (markdown: string): [number, string, string][] =>
  read(markdown).outline.headings.map(({ level, title, anchor }) => [level, title, anchor])
const anchors = (...titles: string[]): string[] => anchorsOf(titles.map((title) => ({ title })))
const textOf = (markdown: string): string => read(markdown).sections[0]?.text ?? ''

test('attribute lists set the anchors of headings and are not part of titles', () => {
  assert.equal(
    headings(
      '# A {#one}\n\n## B { #two }\n\n## C {#three .cls}\n\n## D {: #four key="v w" }\n\n## *E* {.cls}\n\n## F `{#six}`\n\n## G {{ x }}\n',
    ),
    [
      [1, 'A', 'one'],
      [2, 'B', 'two'],
      [2, 'C', 'three'],
      [2, 'D', 'four'],
      [2, 'E', 'e'],
      [2, 'F {#six}', 'f-six'],
      [2, 'G {{ x }}', 'g--x'],
    ],
  )
})

test('anchors keep letters of every script and drop punctuation', () => {
  assert.is(anchorOf('What’s new in v1.2?'), 'whats-new-in-v12')
  assert.is(anchorOf('Prometheus & Grafana'), 'prometheus--grafana')
  assert.is(anchorOf('🚀 Start here'), 'start-here')
  assert.is(anchorOf('安装指南 (Linux)'), '安装指南-linux')
  assert.is(anchorOf('Быстрый старт'), 'быстрый-старт')
  assert.is(anchorOf('البدء السريع'), 'البدء-السريع')
  assert.is(anchorOf('snake_case `code`'), 'snake_case-code')
  assert.is(anchorOf('???'), 'section')
  assert.is(Array.from(anchorOf('𠮷'.repeat(500))).length, 200)
})

test('anchors are unique, and an explicit ID of a heading takes precedence', () => {
  assert.equal(anchors('Setup', 'Setup', 'Setup 1', 'setup'), ['setup', 'setup-1', 'setup-1-1', 'setup-2'])
  assert.equal(headings('# A\n\n## Setup\n\n## Install <a href="#setup" id="setup"></a>\n\n## Other {#own}\n'), [
    [1, 'A', 'a'],
    [2, 'Setup', 'setup-1'],
    [2, 'Install', 'setup'],
    [2, 'Other', 'own'],
  ])
})

test('a fragment finds its anchor, also in the notation of other renderers', () => {
  const { outline } = read(
    '# Page\n\n## 1. Getting started\n\n## Prometheus & Grafana\n\n## 安装\n\n<div id="Below">x</div>\n',
  )
  assert.is(findAnchor(outline, '1-getting-started'), '1-getting-started')
  assert.is(findAnchor(outline, 'id-1.-getting-started'), '1-getting-started')
  assert.is(findAnchor(outline, 'Prometheus-Grafana'), 'prometheus--grafana')
  assert.is(findAnchor(outline, '%E5%AE%89%E8%A3%85'), '安装')
  assert.is(findAnchor(outline, 'Below'), 'Below')
  assert.is(findAnchor(outline, 'none'), null)
  assert.is(findAnchor(outline, ''), null)
  assert.is(findAnchor(outline, '%E5%A'), null)
})

const titlesOf = (page: string): [number, string][] => headings(page).map(([level, title]) => [level, title])

function titlesInTree(page: string): [number, string][] {
  const found: [number, string][] = []
  const visit = (node: BlockNode): void => {
    if (node.type.startsWith('heading-'))
      found.push([Number(node.type.slice(8)), plainText(node.nodes).replace(/\s+/g, ' ').trim().slice(0, 500)])
    else for (const child of node.nodes) if (child.object === 'block') visit(child)
  }
  for (const node of parseDocument(readPage(page, '').markdown).nodes) visit(node)
  return found
}

const EVERYTHING = `---
description: All kinds
---

# The page

Lead with **bold**, \`code\` and [a link](x.md)<br>next.

{% hint style="info" %}
A hint.

## In a hint

{% endhint %}

{% tabs %}
{% tab title="Linux" %}
Run it.
{% endtab %}
{% tab title="Windows" %}
\`\`\`sh title="run.sh"
start <now>
\`\`\`
{% endtab %}
{% endtabs %}

<details>
<summary>More &amp; more</summary>

Folded away

</details>

| Name | Use |
| --- | --- |
| one | first |

<table><tr><td>cell</td><td id="here">next</td></tr></table>

* item
  * nested

> quote

{% unknown x="1" %}

<!-- comment -->
<script>ignored()</script>

### Last \`List<T>\` <a name="mark"></a>

End[^1] with {{ value }}.

[^1]: Note

[x]: y.md
`

test('sections contain all visible text and no syntax', () => {
  const { outline, sections } = read(EVERYTHING)
  assert.is(outline.title, 'The page')
  assert.equal(outline.anchors, ['more--more', 'here'])
  assert.equal(outline.scripts, ['latin'])
  assert.equal(sections, [
    { anchor: null, title: '', text: 'Lead with bold, code and a link next.\nA hint.' },
    {
      anchor: 'in-a-hint',
      title: 'In a hint',
      text: 'Linux\nRun it.\nWindows\nrun.sh\nstart <now>\nMore & more\nFolded away\nName Use\none first\ncell next\nitem\nnested\nquote\n{% unknown x="1" %}',
    },
    { anchor: 'mark', title: 'Last List<T>', text: 'End with {{ value }}.\nNote' },
  ])
})

test('the outline has the headings of the block tree', () => {
  const pages = [
    EVERYTHING,
    '# A\r\n\r\nTitle\r\n---\r\n\r\n* ## In a list\r\n\r\n> # In a quote\r\n',
    '\ufeff# With a mark\n\n## B  `x`  *y* ![alt](i.png)\n',
    '<details>\n<summary>S</summary>\n  ## Inside\n  text\n</details>\n\n## After\n',
    '$$\n# no heading\n$$\n\n## Math $$a_b$$\n',
    '{% tabs %}\n{% tab title="x" %}\n## In a tab\n{% endtab %}\n{% endtabs %}\n```\n## code\n```\n',
    '## One\n## Two <!-- c --> end\n## Three <span id="x">three</span>\n',
  ]
  for (const page of pages) assert.equal(titlesOf(page), titlesInTree(page), page)
  fc.assert(
    fc.property(writtenPage, (page) => assert.equal(titlesOf(page), titlesInTree(page))),
    { numRuns: runs(20, 1_000) },
  )
})

test('text before the first heading, or below the H1 at the top, belongs to no heading', () => {
  assert.equal(read('Before\n\n# Title\n\nBelow\n').sections, [
    { anchor: null, title: '', text: 'Before' },
    { anchor: 'title', title: 'Title', text: 'Below' },
  ])
  assert.equal(read('# Title\n\n## Part\n').sections, [{ anchor: 'part', title: 'Part', text: '' }])
  assert.equal(read('').sections, [])
})

test('the title of an outline is the heading that an edit of the title changes', () => {
  assert.is(read('> # Quoted\n\n# *Real* title\n').outline.title, 'Real title')
  assert.is(read('## Only a part\n').outline.title, '')
})

test('scripts are listed by frequency', () => {
  assert.equal(read('安装指南 と インストール한국').outline.scripts, ['cjk'])
  assert.equal(read('مرحبا بالعالم الجميل and').outline.scripts, ['arabic', 'latin'])
  assert.equal(read('“Quoted” – text…').outline.scripts, ['latin'])
  assert.equal(read('123').outline.scripts, [])
})

test('a page that is too costly has an empty outline, in bounded time', () => {
  const costly = `# Title\n\n${'* a\n'.repeat(60_000)}`
  assert.equal(read(costly).outline, { title: 'Title', headings: [], anchors: [], scripts: [] })
  assert.equal(read(costly).sections, [])
  const many = read('# h\n\nx <i id="a"></i>\n\n'.repeat(4_000))
  assert.is(many.outline.headings.length, 2_000)
  assert.is(many.sections.length, 2_000)
  assert.ok(many.sections.at(-1)?.text.endsWith('h\nx'))
  for (const hostile of [
    '<a id="'.repeat(20_000),
    '# '.repeat(20_000),
    '<details><summary>'.repeat(3_000),
    '{% tab title="'.repeat(9_000),
    '> '.repeat(9_000),
  ])
    read(hostile)
})

test('line breaks are added to the text only between blocks', () => {
  assert.is(textOf('one\ntwo\n\nthree\n'), 'one\ntwo\nthree')
  assert.is(textOf('<div>a<p>b</p><b>c</b>d</div>\n'), 'a\nb\ncd')
})

test.run()
