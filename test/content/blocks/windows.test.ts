import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { parseExactly } from '../../../src/content/blocks/exact.js'
import { scan } from '../../../src/content/blocks/limits.js'
import type { Markdown } from '../../../src/content/gfm/tree.js'
import { wholeRegion } from '../../../src/content/blocks/region.js'
import { findReferences } from '../../../src/content/find-references.js'
import { windowEnd } from '../../../src/content/windows.js'
import { runs } from '../../support/soak.js'
import { suite } from '../../support/suite.js'

const test = suite('pages read in windows')

const line = fc.constantFrom(
  ...[
    'word [a](b.md) [x] [^n]',
    '[x]: y.md',
    '[^n]: note',
    '    [^n]: deep',
    '[a]',
    '- item',
    '  - [i](j.md)',
    '1. one',
    '* * *',
    '---',
    '===',
    '> quote',
    '>',
  ],
  ...[
    '```',
    '``` js',
    '````',
    '~~~',
    '  ```',
    '- ```',
    '> ```',
    '    code [c](d.md)',
    '   $$',
    '$$',
    '$$ x',
    '# head',
    '| a | b |',
    '| - | - |',
    'www.x.org',
  ],
  ...[
    '<div>',
    '</div>',
    '<!-- [k](l.md)',
    '-->',
    '<pre>',
    '</pre>',
    '<script>',
    '</script>',
    '<a href="h.md">',
    '<img src="i.png">',
    '<?',
    '?>',
    '<',
  ],
  ...[
    '{% hint %}',
    '{% endhint %}',
    '{% embed url="e" %}',
    '{% content-ref url="p.md" %}',
    '{{ a }}',
    '\ufeffz',
    '\u00a0',
    '\t',
    '  ',
    'http://a.b',
    'm@n.org',
    '\\',
  ],
)
const end = fc.constantFrom('\n', '\n', '\n\n', '\n\n', '\r\n\r\n', '\r\n', '\r', '\r\r', '\n \t\n', '\n\n\n')
const page = fc.array(fc.tuple(line, end), { maxLength: 30 }).map((lines) => lines.map((one) => one.join('')).join(''))

/** Without lines and columns, which no one reads. */
function bare({ position, children, ...node }: Markdown): unknown {
  return {
    ...node,
    at: [position?.start.offset, position?.end.offset],
    ...(children ? { children: children.map(bare) } : {}),
  }
}
function read(markdown: string, least: number): unknown[] {
  const { text } = wholeRegion(markdown)
  return (parseExactly(text, scan(text), least).children ?? []).map(bare)
}

test('the smallest windows yield the tree of the whole page', () => {
  fc.assert(
    fc.property(page, fc.constantFrom(1, 1, 20, 60), (markdown, least) => {
      assert.equal(read(markdown, least), read(markdown, Number.POSITIVE_INFINITY))
    }),
    { numRuns: runs(500, 7_500) },
  )
})

test('the smallest windows yield the references of the whole page', () => {
  fc.assert(
    fc.property(page, (markdown) => {
      assert.equal(
        findReferences(markdown),
        findReferences(
          markdown,
          () => null,
          (text, whole) => void whole(text, 0, ''),
        ),
      )
    }),
    { numRuns: runs(500, 7_500) },
  )
})

test('windows end at blank lines outside lists', () => {
  const cuts = (text: string) => {
    const found: number[] = []
    for (let at = 0; at < text.length; ) found.push((at = windowEnd(text, at, 1)))
    return found
  }
  assert.equal(cuts('a\n\nb\r\n \r\nc\nd'), [3, 9, 12])
  assert.equal(cuts('a\r\nb\n\n- c\n\n1. d\n\n  e\n\n\ufefff'), [24])
})

test('a link works if its definition is several windows away, and so does its footnote', () => {
  const filler = `${'word '.repeat(400)}\n\n`.repeat(10)
  const nodes = JSON.stringify(read(`[x] [^n]\n\n${filler}[x]: y.md\n\n[^n]: z\n`, 4096))
  assert.match(nodes, 'linkReference')
  assert.match(nodes, 'footnoteReference')
})

test.run()
