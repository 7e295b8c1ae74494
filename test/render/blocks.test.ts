/** Tests the HTML of every block type of the format. */
import * as assert from 'uvu/assert'
import { describeBlocks } from '../../src/content/blocks/describe.js'
import type { BlockNode } from '../../src/content/types.js'
import { renderPage } from '../../src/render/page.js'
import { tableTargets } from '../../src/render/targets.js'
import { suite } from '../support/suite.js'
import { ORDER, elementsOf, html, textIn } from './render.js'

const test = suite('render: blocks')

/** Markdown, and text that its HTML must contain. */
const cases: [name: string, markdown: string, ...expected: string[]][] = [
  [
    'text with marks',
    '**b** *i* ~~s~~ `c` <kbd>k</kbd> x<sub>1</sub>',
    '<strong>b</strong> <em>i</em> <s>s</s> <code dir="ltr">c</code> <kbd>k</kbd> x<sub>1</sub>',
  ],
  [
    'coloured mark',
    '<mark style="color:red;">m</mark>',
    '<mark style="color:red;background-color:transparent;">m</mark>',
  ],
  ['heading with an ID', '## Head & more {#own}', '<h2 id="own" dir="auto">Head &#x26; more</h2>'],
  ['heading', '## Two Words', '<h2 id="two-words" dir="auto">Two Words</h2>'],
  [
    'lists',
    '1. a\n2. b\n\n* c',
    '<ol><li dir="auto">a</li><li dir="auto">b</li></ol>',
    '<ul><li dir="auto">c</li></ul>',
  ],
  ['tasks', '* [x] a\n* [ ] b', '<input type="checkbox" disabled checked /> a', '<input type="checkbox" disabled /> b'],
  ['quote and divider', '> q\n\n***', '<blockquote><p dir="auto">q</p></blockquote>', '<hr />'],
  [
    'code',
    '```js\nconst a = "<b>"\n```',
    '<code class="language-js"><span class="hljs-keyword">const</span>',
    '<span class="hljs-string">"&#x3C;b>"</span>',
  ],
  [
    'code with title and numbers',
    '{% code title="a.yaml" lineNumbers="true" %}\n```\nx\ny\n```\n{% endcode %}',
    '<p class="code-title" dir="auto">a.yaml</p>',
    '<span class="line">x\n</span><span class="line">y\n</span>',
  ],
  ['unknown language', '```nonsense\n<x>\n```', '<code class="language-nonsense">&#x3C;x></code>'],
  ['formula', '$$\n\\frac{a}{b}\n$$', '<div class="math"><math display="block"', '<mfrac><mi>a</mi><mi>b</mi></mfrac>'],
  ['wrong formula', '$$\n\\nonsense{\n$$', '<code class="math-error"', '\\nonsense{'],
  [
    'hint',
    '{% hint style="danger" %}\nh\n{% endhint %}',
    '<aside class="hint danger" role="note" aria-label="Danger"><p dir="auto">h</p></aside>',
  ],
  [
    'tabs',
    '{% tabs %}\n{% tab title="A" %}\na\n{% endtab %}\n{% tab title="B" %}\nb\n{% endtab %}\n{% endtabs %}',
    '<p class="tab-title" dir="auto">A</p>',
    '<p class="tab-title" dir="auto">B</p>',
  ],
  [
    'steps',
    '{% stepper %}\n{% step %}\n## One\n{% endstep %}\n{% endstepper %}',
    '<ol class="stepper"><li dir="auto"><h2 id="one" dir="auto">One</h2></li></ol>',
  ],
  [
    'columns',
    '{% columns %}\n{% column width="25%" %}\nl\n{% endcolumn %}\n{% column %}\nr\n{% endcolumn %}\n{% endcolumns %}',
    '<div class="column" style="flex-basis:25%">',
  ],
  [
    'expandable',
    '<details>\n<summary>S <code>c</code></summary>\n\nbody\n\n</details>',
    '<details id="s-c"><summary dir="auto">S <code dir="ltr">c</code></summary><p dir="auto">body</p></details>',
  ],
  [
    'content reference',
    '{% content-ref url="page.md" %}\n[page.md](page.md)\n{% endcontent-ref %}',
    '<a href="/page">The page</a>',
  ],
  ['page reference', '{% page-ref page="page.md" %}', '<a href="/page">The page</a>'],
  [
    'embed',
    '{% embed url="https://x.org/v" %}\nCaption\n{% endembed %}',
    '<a href="https://x.org/v">https://x.org/v</a>',
    'Caption',
  ],
  ['file', '{% file src="a%20b.zip" %}\nText\n{% endfile %}', 'a b.zip', 'Text'],
  ['reusable content that is not filled in', '{% include "../x.md" %}', 'Reusable content: <code>../x.md</code>'],
  [
    'updates',
    '{% updates format="full" %}\n{% update date="2026-01-02" tags="new" %}\nNews\n{% endupdate %}\n{% endupdates %}',
    '<time datetime="2026-01-02">2026-01-02</time> · new',
  ],
  [
    'operation',
    '{% openapi-operation spec="museum" path="/t/{id}" method="get" %}\n{% endopenapi-operation %}',
    '<span class="method get">GET</span> <code>/t/{id}</code>',
    '<code>museum</code>',
  ],
  [
    'schemas',
    '{% openapi-schemas spec="museum" schemas="Ticket" grouped="true" %}\n{% endopenapi-schemas %}',
    'museum: Ticket',
  ],
  [
    'operation by address',
    '{% openapi src="https://x.org/s.yaml" path="/a" method="put" %}\n{% endopenapi %}',
    'https://x.org/s.yaml',
    'PUT',
  ],
  [
    'written operation',
    '{% swagger method="post" path="/u" baseUrl="https://x.org" summary="Make" %}\n{% swagger-parameter in="body" name="n" type="String" required="true" %}\nName\n{% endswagger-parameter %}\n{% swagger-response status="200" description="Made" %}\n{% endswagger-response %}\n{% endswagger %}',
    'https://x.org/u',
    'Make',
    '<code>n</code> body, String, required',
    '<code>200</code> Made',
  ],
  [
    'oldest operation',
    '{% api-method method="get" host="https://x.org" path="/a" %}\n{% api-method-summary %}\nSum\n{% endapi-method-summary %}\n{% endapi-method %}',
    'https://x.org/a',
    'Sum',
  ],
  ['condition', '{% if visitor.claims.x %}\nsecret\n{% endif %}', 'data-expression="visitor.claims.x"', 'secret'],
  ['prompt', '{% prompt description="Ask" %}\nWrite.\n{% endprompt %}', '<p class="prompt-title" dir="auto">Ask</p>'],
  [
    'picture with a caption',
    '<figure><img src="pic.png" alt="A" width="50%"><figcaption><p>C <em>i</em></p></figcaption></figure>',
    '<img src="/files/pic.png" width="50%" alt="A" />',
    '<figcaption dir="auto">C <em>i</em></figcaption>',
  ],
  [
    'picture for dark mode',
    '<figure><picture><source srcset="dark.png" media="(prefers-color-scheme: dark)"><img src="pic.png" alt=""></picture></figure>',
    '<source srcset="/files/dark.png" media="(prefers-color-scheme: dark)" />',
  ],
  [
    'picture that is not there',
    '![the alt](https://x.org/p.png)',
    '<span class="missing-picture"><a href="https://x.org/p.png">the alt</a></span>',
  ],
  [
    'table',
    '| a | b |\n|---|:-:|\n| 1 | `2` |',
    '<thead><tr><th dir="auto">a</th><th align="center" dir="auto">b</th></tr></thead>',
    '<td align="center" dir="auto"><code dir="ltr">2</code></td>',
  ],
  [
    'cards',
    '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th><th data-hidden data-card-cover data-type="files"></th></tr></thead><tbody><tr><td><strong>Card</strong></td><td><a href="page.md">x</a></td><td><a href="pic.png">p</a></td></tr></tbody></table>',
    '<div class="card-cover"><img src="/files/pic.png" alt="" /></div>',
    '<strong>Card</strong>',
    '<a href="/page">The page</a>',
  ],
  [
    'column of check boxes',
    '<table><thead><tr><th data-type="checkbox">Done</th></tr></thead><tbody><tr><td>true</td></tr></tbody></table>',
    '☑',
  ],
  [
    'footnote',
    'a[^n]\n\n[^n]: The *note*',
    '<sup class="note-mark"><a href="#note-1">1</a></sup>',
    '<li id="note-1" value="1" dir="auto"><p dir="auto">The <em>note</em></p></li>',
  ],
  [
    'mention, button, icon',
    '[page.md](page.md "mention") <a href="https://x.org" class="button secondary">B</a> <i class="fa-check"></i>',
    '<a href="/page" class="mention">',
    '<a href="https://x.org" class="button secondary">B</a>',
    'aria-label="check" title="check">✓',
  ],
  ['expression', '<code class="expression">space.vars.x</code>', '<code class="expression">space.vars.x</code>'],
  ['broken link', '[b](nowhere.md)', '<span class="broken-link">b</span>'],
  [
    'HTML around markdown',
    '<div align="center">\n\n## In\n\n</div>\n\nafter',
    '<div align="center"><h2 id="in" dir="auto">In</h2></div><p dir="auto">after</p>',
  ],
  ['what looks like a block', '{% for x in y %} {{ x }} {% endfor %}', '{% for x in y %} {{ x }} {% endfor %}'],
  ['right to left', '* أول\n\n> اقتباس', '<div class="page" dir="rtl"><ul dir="rtl">', '<blockquote dir="rtl">'],
]

for (const [name, markdown, ...expected] of cases)
  test(`the HTML of this content is correct: ${name}`, () => {
    const made = html(markdown)
    for (const part of expected) assert.ok(made.includes(part), `${part}\nis not in\n${made}`)
  })

test('every block type is rendered with its text', () => {
  for (const { type, object } of describeBlocks()) {
    if (
      object !== 'block' ||
      ['definition', 'html', 'footnote', 'image', 'table-row', 'table-cell', 'math', 'caption'].includes(type)
    )
      continue
    const marker = {
      object: 'text' as const,
      key: '',
      leaves: [{ object: 'leaf' as const, text: 'MARK & <x>', marks: [] }],
    }
    const paragraph: BlockNode = {
      object: 'block',
      type: 'paragraph',
      key: '',
      isVoid: false,
      data: {},
      nodes: [marker],
    }
    const textual = /^(?:paragraph|heading-\d|code|raw|expandable-title)$/.test(type)
    const special: Record<string, BlockNode['nodes']> = {
      divider: [],
      images: [],
      'reusable-content': [],
      table: [{ ...paragraph, type: 'table-row', nodes: [{ ...paragraph, type: 'table-cell' }] }],
    }
    const node: BlockNode = {
      object: 'block',
      type,
      key: '',
      isVoid: false,
      data: {},
      nodes: special[type] ?? (textual ? [marker] : [paragraph]),
    }
    const made = renderPage(
      { object: 'document', data: { schemaVersion: 1 }, nodes: [node] },
      { ...ORDER, targets: tableTargets(ORDER.targets, '') },
    ).html
    if (special[type]?.length !== 0) assert.ok(textIn(made).includes('MARK & <x>'), `${type}: ${made}`)
  }
})

test('blocks are marked with their source position on request', () => {
  const markdown = '# One\n\nText\n\n{% hint style="info" %}\nIn it\n{% endhint %}\n'
  const places = elementsOf(html(markdown, { positions: true })).flatMap((element) => {
    const place = element.attrs
      .find((one) => one.name === 'data-source')
      ?.value.split('-')
      .map(Number)
    return place ? [markdown.slice(place[0], place[1])] : []
  })
  assert.equal(places.sort(), ['# One', 'In it', 'Text', '{% hint style="info" %}\nIn it\n{% endhint %}'])
  assert.not.ok(html(markdown).includes('data-source'))
})

test('print output expands blocks, has no dark pictures and hides conditional content', () => {
  const markdown = '<details>\n<summary>S</summary>\n\nbody\n\n</details>\n\n{% if x %}\nsecret\n{% endif %}\n'
  const made = html(markdown, { layOpen: true, conditional: 'hide' })
  assert.ok(made.includes('<details open id="s">'))
  assert.not.ok(made.includes('secret'))
})

test('IDs are unique in a page and start with the prefix', () => {
  const made = html('## A\n\n## A\n\n<a id="own"></a>\n\n[x](#a-1)', { idPrefix: 'p1-' })
  assert.ok(
    made.includes('id="p1-a"') &&
      made.includes('id="p1-a-1"') &&
      made.includes('id="p1-own"') &&
      made.includes('href="#p1-a-1"'),
    made,
  )
})

test.run()
