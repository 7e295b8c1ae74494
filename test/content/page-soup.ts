/** Well-formed pages with every kind of block and inline in every usual place, for comparing two parsers. */
import fc from 'fast-check'

const WORDS = [
  'word',
  'two words',
  'é',
  'naïve',
  '中文',
  '😀',
  'a.b',
  "it's",
  'snake_case_name',
  'x * y',
  '1 < 2',
  'R&D',
  '&amp;',
  '&#x20AC;',
  'f(x)',
  '50%',
  'a | b',
  '[x]',
  '"q"',
  'C:\\dir',
]
const URLS = [
  'a.md',
  '../b/c.md#d',
  'https://x.org/a?b=c&d=e',
  '<with space.md>',
  'a(b).md',
  'é.md',
  '#top',
  'a_b_c.md',
  'broken/{{ x }}',
  'a%20b.md',
  '/',
]
const TAGS = [
  '{% icon name="a" %}',
  '{% embed url="https://x.org/a_b" %}',
  '{% if a == "b" %}',
  '{% x | upper %}',
  '{%- y -%}',
  '{% code title="a*b" %}',
]
const EXPRESSIONS = [
  '{{ name }}',
  '{{ a.b_c }}',
  '{{ a | upcase }}',
  '{{ "x" | f: 1 }}',
  '{{a}}',
  '{{ a ? b : c }}',
  '{{ `t` }}',
  '{{ a < b }}',
]
const LINKS = [
  'https://x.org/a_b',
  '<https://x.org>',
  'www.x.org/p',
  'm@n.org',
  '<m@n.org>',
  'http://x.org/a(b).',
  '[^1]',
  '[r]',
  '[r][]',
  '[t][r]',
  '![r]',
  '[none]',
]
const RAW = [
  '`code`',
  '`` a`b ``',
  '`{{ a }}`',
  '`{% b %}`',
  '`a | b`',
  '\\{{ a }}',
  '\\{% b %}',
  '\\*',
  '\\[x\\]',
  '<br>',
  '<b>',
  '</b>',
  '<img src="i.png" alt="a">',
  '<a href="{{ u }}">',
  '</a>',
  '<mark style="color:red;">',
  '<!-- c -->',
  '$$x^2$$',
]

const atom = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.constantFrom(...TAGS) },
  { weight: 2, arbitrary: fc.constantFrom(...EXPRESSIONS) },
  { weight: 2, arbitrary: fc.constantFrom(...LINKS) },
  { weight: 2, arbitrary: fc.constantFrom(...RAW) },
)
const joined = (parts: fc.Arbitrary<string>, most: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(parts, { minLength: 1, maxLength: most }), fc.constantFrom(' ', ' ', ' ', ''))
    .map(([all, gap]) => all.join(gap))

const { inline } = fc.letrec<{ inline: string; one: string }>((tie) => ({
  one: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc
      .tuple(fc.constantFrom('*', '**', '***', '_', '__', '~~', '~'), tie('inline'))
      .map(([mark, text]) => mark + text + mark),
    fc
      .tuple(tie('inline'), fc.constantFrom(...URLS), fc.constantFrom('', ' "title"', " 't'", ' (t)', ' "mention"'))
      .map(([text, url, title]) => `[${text}](${url}${title})`),
    fc
      .tuple(fc.constantFrom('', 'alt', 'a *b* c', '{{ a }}'), fc.constantFrom(...URLS))
      .map(([alt, url]) => `![${alt}](${url})`),
  ),
  inline: joined(tie('one'), 4),
}))

const paragraph = fc
  .array(inline, { minLength: 1, maxLength: 3 })
  .chain((lines) => fc.constantFrom('\n', '  \n', '\\\n', '\n  ').map((end) => lines.join(end)))
const cell = fc
  .oneof(inline, fc.constantFrom('', '`a \\| b`', 'a \\| b', '{{ a | b }}', '{{ a \\| b }}', '{% icon %}'))
  .map((text) => text.replaceAll('\n', ' '))
const table = fc
  .tuple(
    fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('-', ':-', '---', ':-:', '-:'),
    fc.boolean(),
  )
  .map(([rows, dashes, edges]) => {
    const row = (cells: readonly string[]): string => (edges ? `| ${cells.join(' | ')} |` : `${cells.join(' | ')}`)
    const [head = [], ...rest] = rows
    return [row(head), row(head.map(() => dashes)), ...rest.map(row)].join('\n')
  })
const code = fc
  .tuple(
    fc.constantFrom('```', '~~~', '````'),
    fc.constantFrom('', 'js', ' js title="a"', 'mermaid'),
    fc.constantFrom('a\n\nb', '{% hint %}', '{{ a }}', '', '\tx', '# no', '`` ` ``', '[a](b)'),
  )
  .map(([fence, info, text]) => `${fence}${info}\n${text}\n${fence}`)
const html = fc.constantFrom(
  ...[
    '<div>\n\ntext *a*\n\n</div>',
    '<div align="center">\n<img src="a.png">\n</div>',
    '<!-- a\n\nb -->',
    '<table>\n<tr><td>{{ a }}</td></tr>\n</table>',
    '<details>\n\n<summary>S</summary>\n\nbody\n\n</details>',
  ],
  ...[
    '<p>{% a %}</p>',
    '<figure><img src="a.png" alt=""><figcaption><p>c</p></figcaption></figure>',
    '<pre>\n{% x %}\n</pre>',
    '<details>\n<summary>{{ a }}</summary>\n{% hint %}\n</details>',
    '<div>\n{% endhint %}\n*a*',
  ],
)
const simple = fc.oneof(
  { weight: 4, arbitrary: paragraph },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 6 }), inline, fc.constantFrom('', ' #', ' <a href="#x" id="x"></a>'))
      .map(([depth, text, end]) => `${'#'.repeat(depth)} ${text}${end}`),
  },
  { weight: 1, arbitrary: fc.tuple(inline, fc.constantFrom('===', '---')).map(([text, line]) => `${text}\n${line}`) },
  { weight: 2, arbitrary: table },
  { weight: 1, arbitrary: code },
  { weight: 1, arbitrary: html },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '{% hint style="info" %}',
      '{% endhint %}',
      '{% tabs %}',
      '{% tab title="A | B" %}',
      '{% endtab %}{% endtabs %}',
      '{% content-ref url="a.md" %}\n[a](a.md)\n{% endcontent-ref %}',
      '  {% x %}  {% y %}',
      '{{ a }}',
      '{% a %} text',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '---',
      '***',
      '    indented\n\n    {{ code }}',
      '\ttab code',
      '[r]: target.md "T"',
      '[r]: <a b.md>',
      '[^1]: note *a*\n\n    more',
      '$$\nx\n$$',
      '&nbsp;',
    ),
  },
)
const indented = (text: string, first: string, rest: string): string =>
  text
    .split('\n')
    .map((line, index) => (index === 0 ? first + line : line === '' ? line : rest + line))
    .join('\n')

const { block } = fc.letrec<{ block: string; blocks: string }>((tie) => ({
  block: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    fc.tuple(tie('blocks'), fc.constantFrom('> ', '> ', '>')).map(([text, mark]) =>
      text
        .split('\n')
        .map((line) => mark + line)
        .join('\n'),
    ),
    fc
      .tuple(
        fc.array(tie('blocks'), { minLength: 1, maxLength: 3 }),
        fc.constantFrom('- ', '* ', '1. ', '2) ', '- [ ] ', '* [x] ', '-\t', '10. '),
        fc.constantFrom('\n', '\n', '\n\n'),
      )
      .map(([items, mark, gap]) =>
        items
          .map((item) => indented(item, mark, ' '.repeat(mark.includes('[') ? 2 : mark === '-\t' ? 4 : mark.length)))
          .join(gap),
      ),
    fc
      .tuple(tie('blocks'), fc.constantFrom('hint', 'tab', 'unknown'))
      .map(([text, name]) => `{% ${name} %}\n${text}\n{% end${name} %}`),
  ),
  blocks: fc
    .array(tie('block'), { minLength: 1, maxLength: 3 })
    .chain((all) => fc.constantFrom('\n\n', '\n\n', '\n').map((gap) => all.join(gap))),
}))

/** A page with one kind of line ends. */
export const writtenPage = fc
  .tuple(
    fc.array(block, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('\n\n', '\n\n', '\n'),
    fc.constantFrom('', '\n', '\n\n[r]: u.md\n'),
    fc.constantFrom('\n', '\n', '\r\n'),
    fc.constantFrom('', '', '\ufeff'),
  )
  .map(([blocks, gap, last, end, mark]) => mark + (blocks.join(gap) + last).replaceAll('\n', end))
