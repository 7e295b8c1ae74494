/** Tests the HTML of pages of sites: the markup that the theme expects, and nothing that the policy of sites forbids. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { ShownOperation } from '../../src/model/index.js'
import { frameOf } from '../../src/render/site/embeds.js'
import { renderMarkdown, type RenderOrder } from '../../src/render/tasks.js'
import type { Rendered } from '../../src/render/types.js'
import { soup as blockSoup } from '../content/blocks/soup.js'
import { suite } from '../support/suite.js'
import { ATTACKS } from './attacks.js'
import { elementsOf, faults, ORDER, textIn } from './render.js'

const test = suite('render: pages of sites')

const ORDER_OF_SITE: RenderOrder = {
  ...ORDER,
  targets: {
    ...ORDER.targets,
    links: { ...ORDER.targets.links, 'a.zip': { href: '/files/a.zip', size: 4200 } },
    sizes: { 'pic.png': { width: 640, height: 280 } },
  },
  medium: 'site',
  conditional: { claims: { plan: 'pro' } },
}
const render = (markdown: string, order: Partial<RenderOrder> = {}): Rendered =>
  renderMarkdown(markdown, { ...ORDER_OF_SITE, ...order })
const html = (markdown: string, order: Partial<RenderOrder> = {}): string => render(markdown, order).html

/** Markdown, and parts of its HTML. */
const cases: [name: string, markdown: string, ...expected: string[]][] = [
  [
    'heading with a link to itself',
    '## Two Words',
    '<h2 id="two-words">Two Words<a class="anchor" href="#two-words" aria-label="Link to this section"></a></h2>',
  ],
  ['second title, which is not the title of the page', 'a\n\n# B', '<h2 id="b">'],
  ['heading that leaves out a level', '## A\n\n#### B\n\n#### C', '<h3 id="b" class="h4">', '<h4 id="c">'],
  ['tasks', '* [x] a\n* [ ] b', '<ul class="tasks"><li><input type="checkbox" disabled checked aria-label="Done">'],
  [
    'hint',
    '{% hint style="warning" %}\nh\n{% endhint %}',
    '<aside class="hint warning" role="note" aria-label="Warning"><svg class="i" aria-hidden="true"><use href="#i-warn"></use></svg><div class="flow"><p>h</p></div></aside>',
  ],
  ['hint with an icon', '{% hint icon="rocket" %}\nh\n{% endhint %}', '<use href="#i-fa~rocket">'],
  [
    'tabs',
    '{% tabs %}\n{% tab title="A" %}\na\n{% endtab %}\n{% tab title="B" %}\nb\n{% endtab %}\n{% endtabs %}',
    '<div class="tabs"><div class="tablist"><button type="button">A</button><button type="button">B</button></div>',
    '<div class="tab flow" data-title="B"><p class="tab-title">B</p><p>b</p></div>',
  ],
  [
    'steps',
    '{% stepper %}\n{% step %}\n## One\n{% endstep %}\n{% endstepper %}',
    '<ol class="stepper"><li><div class="flow"><h2 id="one">',
  ],
  [
    'columns in twelfths',
    '{% columns %}\n{% column width="25%" %}\nl\n{% endcolumn %}\n{% column %}\nr\n{% endcolumn %}\n{% endcolumns %}',
    '<div class="columns wide"><div class="flow" data-width="3"><p>l</p></div><div class="flow" data-width="9"><p>r</p></div></div>',
  ],
  [
    'expandable',
    '<details>\n<summary>S</summary>\n\nbody\n\n</details>',
    '<details class="more" id="s"><summary><svg class="i flip" aria-hidden="true"><use href="#i-right"></use></svg><span>S</span></summary><div class="flow"><p>body</p></div></details>',
  ],
  [
    'updates',
    '{% updates %}\n{% update date="2026-11-12" tags="Fixed,New" %}\n## V\n\nx\n{% endupdate %}\n{% endupdates %}',
    '<time datetime="2026-11-12">Nov 12, 2026</time>',
    '<h2 id="v">V <span class="tag">Fixed</span><span class="tag">New</span><a class="anchor"',
  ],
  [
    'code with title, numbers and marked lines',
    '{% code title="a.yaml" lineNumbers="true" %}\n```yaml {2}\na: 1\nb: 2\n```\n{% endcode %}',
    '<p class="code-title" dir="ltr">a.yaml</p><span class="lang" dir="ltr">YAML</span><button class="btn-i" type="button" aria-label="Copy code" data-copy>',
    '<pre dir="ltr" tabindex="0" role="group" aria-label="a.yaml" class="code numbered"><code class="language-yaml"><span class="line">',
    '<span class="line on"><span class="hljs-attr">b:</span>',
  ],
  [
    'long code, folded',
    `{% code expandable="true" %}\n\`\`\`\n${'x\n'.repeat(20)}\`\`\`\n{% endcode %}`,
    '<div class="code-block long">',
    '<label class="code-more"><input class="vh" type="checkbox">Show all 20 lines',
  ],
  ['diagram', '```mermaid\ngraph LR\n```', '<p class="code-title" dir="ltr">Diagram</p>', 'graph LR'],
  [
    'picture with its size and a link to it',
    '![A picture](pic.png)\n\n<figure><img src="pic.png" alt="B"><figcaption><p>Caption</p></figcaption></figure>',
    '<figure><a href="/files/pic.png" class="zoom"><img src="/files/pic.png" width="640" height="280" loading="lazy" alt="B"></a><figcaption>Caption</figcaption></figure>',
  ],
  [
    'picture with a width and a dark variant',
    '<figure><picture><source srcset="dark.png" media="(prefers-color-scheme: dark)"><img src="pic.png" alt="" width="320"></picture></figure>',
    '<img src="/files/pic.png" width="320" height="140" class="on-light sized" loading="lazy" alt="">',
    '<img src="/files/dark.png" width="320" height="140" class="on-dark sized" loading="lazy" alt="">',
    'aria-label="Enlarge the picture"',
  ],
  [
    'table',
    '| a | b |\n|---|---|\n| x | 3 |',
    '<div class="table"><div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr><th scope="col">a</th><th class="r" scope="col">b</th>',
    '<td class="r">3</td>',
  ],
  [
    'cards',
    '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th><th data-hidden data-card-cover data-type="files"></th></tr></thead><tbody><tr><td><strong>T</strong></td><td><a href="page.md">p</a></td><td><a href="pic.png">c</a></td></tr></tbody></table>',
    '<div class="card"><img src="/files/pic.png"',
    '<p class="card-title"><a href="/page"><strong>T</strong></a></p>',
  ],
  [
    'content reference',
    '{% content-ref url="page.md" %}\n[page.md](page.md)\n{% endcontent-ref %}',
    '<div class="card row content-ref">',
    '<p class="card-title"><a href="/page">The page</a></p>',
  ],
  ['file', '{% file src="a.zip" %}', '<a href="/files/a.zip" download>a.zip</a>', '<p class="meta">ZIP, 4.2 KB</p>'],
  [
    'embed that loads nothing',
    '{% embed url="https://www.youtube.com/watch?v=dQw4w9WgXcQ" %}\nCaption\n{% endembed %}',
    '<a href="https://www.youtube.com/watch?v=dQw4w9WgXcQ" class="poster" data-frame="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ">',
    '<figcaption><p>Caption</p></figcaption>',
  ],
  ['embed of another site', '{% embed url="https://x.org/v" %}', '<a href="https://x.org/v">x.org/v</a>'],
  [
    'buttons',
    '<a href="page.md" class="button primary">P</a> <a href="https://x.org" class="button secondary">S</a>',
    '<p class="buttons"><a href="/page" class="btn primary">P</a><a href="https://x.org" class="btn">S</a></p>',
  ],
  ['prompt', '{% prompt description="D" %}\np\n{% endprompt %}', '<div class="prompt"><div class="prompt-bar">'],
  ['footnote', 'a[^1]\n\n[^1]: n', '<a href="#ui~note-1" id="ui~mark-1">1</a>', '<li id="ui~note-1" value="1">'],
  ['icon', '<i class="fa-gear">:gear:</i>', '<span class="icon" role="img" aria-label="gear"><svg'],
  [
    'colored text',
    '<mark style="color:#e00;background-color:yellow">m</mark>',
    '<span class="c-red bg-yellow">m</span>',
  ],
  ['formula', '$$\n\\begin{aligned}a&=b\\end{aligned}\n$$', '<mtd class="tml-right tml-start tml-end">'],
  ['block for the visitor', '{% if visitor.claims.plan == "pro" %}\nyes\n{% endif %}', ''],
]

for (const [name, markdown, ...expected] of cases)
  test(name, () => {
    const made = html(markdown)
    for (const part of expected) assert.ok(made.includes(part), `${part}\nnot in\n${made}`)
    assert.equal(faultsOfSite(made), [])
  })

/** Parts that the Content-Security-Policy of sites blocks, or that could imitate the interface. */
const faultsOfSite = (made: string): string[] =>
  [
    ...faults(made).filter((fault) => !/^(?:<(?:svg|button)>|\w+\[data-(?:copy|title|width|frame|try)\])$/.test(fault)),
    ...elementsOf(made).flatMap(({ tagName, attrs }) =>
      attrs.flatMap(({ name, value }) =>
        name === 'style' || (name === 'id' && value.startsWith('ui~') && !/^ui~(?:note|mark)-\d+$/.test(value))
          ? [`${tagName}[${name}=${value}]`]
          : tagName === 'use' && name === 'href' && !/^#i-[a-z0-9~-]+$/.test(value)
            ? [`use[href=${value}]`]
            : [],
      ),
    ),
  ].sort()

const fixture = (name: string): string => readFileSync(new URL(`../site/fixtures/${name}`, import.meta.url), 'utf8')

test('links may refer to the title and to expandable sections by their texts', () => {
  const more = '<details>\n\n<summary>Why <code>so</code>?</summary>\n\nText\n\n</details>\n'
  const page = render(`# Our Title\n\n## Our title\n\n${more}\n${more}`, { takeTitle: true })
  assert.is(page.titleId, 'our-title')
  assert.match(page.html, '<h2 id="our-title-1">')
  assert.match(page.html, /<details class="more" id="why-so">/)
  assert.is(page.html.match(/id="why-so"/g)?.length, 1)
  assert.match(render(`${more}\n## Why so`).html, /<details class="more">.*<h2 id="why-so">/s)
  assert.match(render(more, { medium: 'print' }).html, /<details id="why-so">/)
})

test('a page with every block has no style attribute, and its icons are listed once', () => {
  const { html: made, icons = [], title } = render(fixture('every-block.md'), { takeTitle: true })
  assert.is(title, 'Further blocks')
  assert.equal(faultsOfSite(made), [])
  const used = new Set([...made.matchAll(/<use href="#i-([^"]+)">/g)].map(([, name]) => name))
  assert.equal([...used].sort(), [...icons].sort())
  assert.ok(icons.includes('fa~rocket') && icons.includes('copy'))
})

test('authors cannot use the classes and IDs of the interface', () => {
  const made = html(
    '<div class="top menu" id="ui~main" style="position:fixed">x</div>\n\n## T {#ui~tree}\n\n<svg><use href="//x.org#a"></use></svg>\n\n<button class="btn" type="submit">b</button>',
  )
  assert.not.match(made, /class="top|position|ui~|<use|<button|x\.org/)
  assert.match(textIn(made), /x/)
})

test('hostile text does not run in a page', () => {
  for (const attack of ATTACKS) {
    for (const around of [
      attack,
      `{% hint %}\n${attack}\n{% endhint %}`,
      `| a |\n|---|\n| ${attack.replace(/\n/g, ' ')} |`,
    ])
      assert.equal(faultsOfSite(html(around)), [], around)
  }
})

test('no combination of blocks runs hostile text', () => {
  fc.assert(
    fc.property(blockSoup, (markdown) => {
      assert.equal(faultsOfSite(html(markdown)), [])
    }),
    { numRuns: 150 },
  )
})

test('paragraphs have the direction of most of their letters if it is not that of the page', () => {
  const arabic = html('Kubernetes هو الأساس لكل شيء\n\nAn English sentence.', { lang: 'ar' })
  assert.match(arabic, /<p>Kubernetes/)
  assert.match(arabic, /<p dir="ltr">An English/)
  const english = html('The word كلمة is Arabic.\n\nهذه فقرة', { lang: 'en' })
  assert.match(english, /<p>The word/)
  assert.match(english, /<p dir="rtl">هذه/)
})

test('a broken link is rendered as text, and marked in previews', () => {
  assert.is(html('a [b](missing.md)'), '<p>a b</p>')
  assert.is(html('a [b](missing.md)', { site: { markBroken: true } }), '<p>a <span class="broken">b</span></p>')
})

test('links to other sites open a new window if the site wants it', () => {
  const made = html('[a](https://x.org) [b](page.md)', { site: { newWindow: true } })
  assert.match(made, /<a href="https:\/\/x\.org" target="_blank" rel="noopener">a<\/a> <a href="\/page">b<\/a>/)
})

test('the interface uses the words of its language', () => {
  const made = html('## A\n\n```\nx\n```', {
    site: { words: { copy: 'Code kopieren', section: 'Link zum Abschnitt' } },
  })
  assert.match(made, /aria-label="Code kopieren"/)
  assert.match(made, /aria-label="Link zum Abschnitt"/)
})

test('only addresses of single embeddable items become frames', () => {
  assert.is(frameOf('https://youtu.be/dQw4w9WgXcQ?t=3')?.src, 'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ')
  assert.is(frameOf('https://vimeo.com/123456789')?.src, 'https://player.vimeo.com/video/123456789?dnt=1')
  assert.is(frameOf('https://www.youtube.com/@channel'), null)
  assert.is(frameOf('https://www.youtube.com.evil.org/watch?v=dQw4w9WgXcQ'), null)
  assert.is(frameOf('javascript:alert(1)//youtube.com/watch?v=dQw4w9WgXcQ'), null)
  assert.is(frameOf('https://www.youtube.com/watch?v=%22%3E%3Cscript%3E'), null)
})

const OPERATION: ShownOperation = {
  kind: 'operation',
  method: 'POST',
  path: '/flows/{id}/run',
  title: 'Run',
  servers: ['https://x.org/api/'],
  security: ['key'],
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'The **ID**. <script>1</script>',
      schema: { type: 'string' },
    },
    { name: 'level', in: 'query', required: false, schema: { type: 'integer', facts: ['at least 1', 'at most 9'] } },
  ],
  body: {
    required: true,
    contents: [
      {
        type: 'application/json',
        schema: {
          type: 'object',
          properties: [
            { name: "it's", required: true, schema: { type: 'string', enum: ['"a"', '"b"'] } },
            {
              name: 'owner',
              required: false,
              schema: {
                type: 'Person',
                properties: [{ name: 'mail', required: true, schema: { type: 'string (email)' } }],
              },
            },
            { name: 'again', required: false, schema: { type: 'Flow', cut: 'circle' } },
          ],
        },
        examples: [],
      },
    ],
  },
  responses: [
    {
      status: '200',
      description: 'Done',
      headers: [],
      contents: [{ type: 'application/json', examples: [{ text: '{"a":1}' }] }],
    },
    { status: '404', description: 'No such flow', headers: [], contents: [] },
  ],
  left: 0,
}
const BLOCK =
  '{% openapi-operation spec="flows" path="/flows/{id}/run" method="post" %}\ntext\n{% endopenapi-operation %}'

test('an operation is rendered with its schemas, responses and examples', () => {
  const made = html(BLOCK, { parts: { 'openapi:flows operation POST /flows/{id}/run': [OPERATION] } })
  assert.equal(faultsOfSite(made), [])
  for (const part of [
    '<span class="method post">POST</span><span class="path">/flows/<b>{id}</b>/run</span>',
    '<h2 class="part">Path parameters</h2><ul class="params plain"><li><div class="sig"><code dir="ltr">id</code><span>string</span><span class="req">required</span></div><p>The <strong>ID</strong>.',
    '<span>1 – 9</span>',
    '<span>One of <code dir="ltr">a</code> <code dir="ltr">b</code></span>',
    '<details class="schema"><summary><svg class="i flip" aria-hidden="true"><use href="#i-right"></use></svg>Show 1 property (Person)</summary>',
    'It contains itself, and is shown further up.',
    '<span class="status ok2">200</span><span>Done</span>',
    '<div class="resp flat"><span class="status bad">404</span><span>No such flow</span></div>',
    '<p class="panel-title">Request</p>',
  ])
    assert.ok(made.includes(part), `${part}\nnot in\n${made}`)
  assert.not.match(made, /<script|>text</)
  // The request is quoted for a shell, and has a value for each property.
  assert.match(textIn(made), /-d '\{\n {2}"it'\\''s": "a",\n {2}"owner": \{\n {4}"mail": "name@example\.org"/)
})

test('an unknown operation shows the text in its block', () => {
  const made = html(BLOCK)
  assert.match(made, /<span class="method post">POST<\/span>/)
  assert.match(made, /<p>text<\/p>/)
})

test.run()
