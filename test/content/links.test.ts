import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfm } from 'micromark-extension-gfm'
import * as assert from 'uvu/assert'
import { findReferences } from '../../src/content/find-references.js'
import { scanExactly } from '../../src/content/gfm/scan-exactly.js'
import { decodeTarget, encodeTarget, type TargetEncoding } from '../../src/content/reference.js'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'

const test = suite('content: references')
const short = (markdown: string): string[] =>
  findReferences(markdown).map(({ kind, target, raw, start, end, encoding }) => {
    assert.is(markdown.slice(start, end), raw)
    assert.is(decodeTarget(raw, encoding), target)
    return `${kind} ${encoding} ${target}`
  })

const cases: Array<[name: string, markdown: string, expected: string[]]> = [
  [
    'links and images',
    '[a](x.md) ![b](../i.png "T") [c](#part)',
    ['link markdown x.md', 'image markdown ../i.png', 'link markdown #part'],
  ],
  ['an image in a link', '[![b](i.png)](x.md)', ['image markdown i.png', 'link markdown x.md']],
  [
    'angle brackets',
    '[a](<with (1) or spaces.md>) [b](<>)',
    ['link markdown-angle with (1) or spaces.md', 'link markdown-angle '],
  ],
  [
    'escapes and entities',
    '[a](hash\\_join.md) [b](a&amp;b&eacute;.md) [c](x%20y.md)',
    ['link markdown hash_join.md', 'link markdown a&bé.md', 'link markdown x%20y.md'],
  ],
  ['an escaped entity', '[a](a\\&amp;b.md)', ['link markdown a&amp;b.md']],
  ['mentions', '[Page](x.md "mention") [b](y.md "mention it")', ['mention markdown x.md', 'link markdown y.md']],
  [
    'definitions',
    '[a][id]\n\n[id]: ./x.md "T"\n[j]: <y z.md>',
    ['definition markdown ./x.md', 'definition markdown-angle y z.md'],
  ],
  [
    'autolinks',
    '<https://a.example/x> https://b.example/y',
    ['autolink literal https://a.example/x', 'autolink literal https://b.example/y'],
  ],
  [
    'code is code',
    '`[a](b)` \n\n```md\n[c](d)\n{% embed url="x" %}\n```\n\n    [e](f)\n\n~~~\n<img src="g">\n~~~\n\n`{% include "h" %}`',
    [],
  ],
  ['a fence in a list', '- x\n\n  ```\n  [a](b)\n  ```\n\n  [c](d)', ['link markdown d']],
  ['a link in a table', '| a |\n| - |\n| [x](y.md) `[n](o)` |', ['link markdown y.md']],
  [
    'block tags',
    '{% content-ref url="a.md" %}\n[a.md](a.md)\n{% endcontent-ref %}\n\n{% embed url="https://e.example" caption="url" %}\n\n{% file src="../x \\"y\\".pdf" %}\n\n{% include "../.gitbook/includes/i.md" %}\n\n{% page-ref page=\'p.md\' %}',
    [
      'content-ref liquid-double a.md',
      'link markdown a.md',
      'embed liquid-double https://e.example',
      'file liquid-double ../x "y".pdf',
      'include liquid-double ../.gitbook/includes/i.md',
      'page-ref liquid-single p.md',
    ],
  ],
  [
    'tags that only look like blocks',
    '{% for x in "y" %} {% raw %} {{ x }} {% embed %} {% embed url= %} {% embed url="x',
    [],
  ],
  [
    'HTML',
    '<figure><picture><source srcset="a.png 1x, b&amp;c.png 2x" media="x"><img src="d.png" alt="<a href=\'no\'>"></picture></figure>\n\nInline <a href=\'e.md\'>x</a> <img src=f.png>',
    [
      'html-source html-double a.png',
      'html-source html-double b&c.png',
      'html-image html-double d.png',
      'html-link html-single e.md',
      'html-image html-bare f.png',
    ],
  ],
  [
    'cards',
    '<table data-view="cards"><thead><tr><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td><a href="a.md">a.md</a></td><td data-card-cover="x.png"></td></tr></tbody></table>',
    ['html-link html-double a.md', 'card html-double x.png'],
  ],
  ['comments and scripts', '<!-- <a href="x"> [a](b) -->\n\n<script>\nvar a = "<img src=\'y\'>"\n</script>\n', []],
  ['a byte order mark', '\ufeff[a](b.md)', ['link markdown b.md']],
  ['CRLF and tabs', 'x\r\n\r\n-\t[a](b.md)\r\n', ['link markdown b.md']],
]
for (const [name, markdown, expected] of cases)
  test(`references are found as expected: ${name}`, () => assert.equal(short(markdown), expected))

test('a long page is searched completely, and its code is skipped wherever it is split', () => {
  const part = (i: number): string =>
    `## Part ${i}\n\n[a](page-${i}.md)\n\n\`\`\`js\nlet a = 1\n\n[no](no.md)\n\n\`\`\`\n\n- item\n\n  [b](in-${i}.md)\n\n<!-- \n\n[no](no.md)\n\n-->\n\n`
  const markdown = Array.from({ length: 400 }, (_, i) => part(i)).join('')
  const expected = Array.from({ length: 400 }, (_, i) => [
    `link markdown page-${i}.md`,
    `link markdown in-${i}.md`,
  ]).flat()
  assert.equal(short(markdown), expected)
})

test('definitions in one text do not affect the next text that the parser reads', () => {
  const targets = (text: string): number | undefined => scanExactly(text, 0, '')?.targets.length
  assert.is(targets('[a]: /x\n\n[^n]: note\n'), 1)
  // If [a] were a link here, the brackets around it could not be one.
  assert.is(targets('[x [a] y](/z)\n'), 1)
  assert.is(targets('[x [^n] y](/z)\n'), 1)
})

test('only passages that would take quadratic time are left out', () => {
  for (const hostile of [
    '[^a]'.repeat(50_000),
    '[a]('.repeat(50_000),
    '- '.repeat(20_000),
    '{% embed url="'.repeat(50_000),
  ]) {
    const found = short(
      `[first](a.md)\n\n${'text\n\n'.repeat(2000)}${hostile}\n\n${'text\n\n'.repeat(2000)}[last](z.md)`,
    )
    assert.is(found[0], 'link markdown a.md')
  }
  assert.equal(findReferences('[a](b) '.repeat(200_000)), [])
})

const piece = fc.constantFrom(
  '[a](x.md)',
  '![b](<y z>)',
  '`',
  '```',
  '\n',
  '\r\n',
  '\n\n',
  '    ',
  '- ',
  '> ',
  '<a href="q">',
  '<img src=',
  '"',
  '{% embed url="u" %}',
  '{% include "',
  '<!--',
  '-->',
  '\t',
  '[',
  '](',
  ')',
  '\\',
  '&amp;',
  '\ufeff',
  '| a |\n| - |\n',
  'https://h.example',
  '[id]: d\n',
)
const soup = fc.array(fc.oneof(piece, unicodeText({ maxLength: 4 })), { maxLength: 40 }).map((parts) => parts.join(''))

/** Returns the URLs of links and images, according to the reference parser. */
function urls(node: { type: string; url?: string; children?: unknown[] }): string[] {
  const own = ['link', 'image', 'definition'].includes(node.type) ? [node.url ?? ''] : []
  return [...own, ...(node.children ?? []).flatMap((child) => urls(child as typeof node))]
}

test('offsets and targets are exact in any text', () => {
  fc.assert(
    fc.property(soup, (markdown) => {
      short(markdown)
      const own = new Set(findReferences(markdown).map(({ target }) => target.replace(/\0/g, '\ufffd')))
      for (const url of urls(fromMarkdown(markdown, { extensions: [gfm()] })))
        assert.ok(url === '' || url.startsWith('mailto:') || own.has(url), JSON.stringify([url, ...own]))
    }),
    { numRuns: runs(333, 5_000) },
  )
})

const encodings: TargetEncoding[] = [
  'markdown',
  'markdown-angle',
  'html-double',
  'html-single',
  'html-bare',
  'liquid-double',
  'liquid-single',
]
const hold: Record<string, (raw: string) => string> = {
  markdown: (raw) => `[x](${raw})`,
  'markdown-angle': (raw) => `[x](<${raw}>)`,
  'html-double': (raw) => `<a href="${raw}">`,
  'html-single': (raw) => `<a href='${raw}'>`,
  'html-bare': (raw) => `\n\n<div>\n<a href=${raw}>\n</div>\n\n`,
  'liquid-double': (raw) => `{% embed url="${raw}" %}`,
  'liquid-single': (raw) => `{% embed url='${raw}' %}`,
}
test('a target in any encoding is found again with the same meaning', () => {
  const name = fc.array(
    fc.constantFrom(
      'a',
      'B',
      '_',
      '(',
      ')',
      '&',
      '&amp;',
      ' ',
      '"',
      "'",
      '\\',
      '<',
      '>',
      '*',
      '`',
      '%20',
      '#',
      '/',
      '.md',
      'é',
      '[',
      ']',
    ),
    { minLength: 1, maxLength: 12 },
  )
  fc.assert(
    fc.property(name, fc.constantFrom(...encodings), (parts, encoding) => {
      const target = `x${parts.join('')}y`
      const markdown = `text ${hold[encoding]!(encodeTarget(target, encoding))} text`
      const found = findReferences(markdown).find((reference) => reference.encoding === encoding)
      assert.is(found?.target.replaceAll('%20', ' '), target.replaceAll('%20', ' '), markdown)
    }),
    { numRuns: runs(666, 10_000) },
  )
})

test.run()
