import * as assert from 'uvu/assert'
import {
  relativeTarget,
  renamedTarget,
  rewriteReferences,
  styleOf,
} from '../../../src/content/edit/rewrite-references.js'
import { firstHeading, setFirstHeading, titleOf } from '../../../src/content/title.js'
import { suite } from '../../support/suite.js'

const test = suite('content: edits of links and first headings')

/** Replaces the text between `‹` and `›`. */
const rewrite = (marked: string, target: string): string => {
  const start = marked.indexOf('‹')
  const markdown = marked.replace('‹', '').replace('›', '')
  return rewriteReferences(markdown, [{ start, end: marked.indexOf('›') - 1, target }])
}

test('a target gets the encoding of its context', () => {
  assert.is(rewrite('[a](‹b.md›)', 'c.md'), '[a](c.md)')
  assert.is(rewrite('[a](‹b.md› "t")', 'c d (1).md'), '[a](<c d (1).md> "t")')
  assert.is(rewrite('[a](‹b%20c.md›)', 'c d (1).md'), '[a](c%20d%20%281%29.md)')
  assert.is(rewrite('[a](<‹b c.md›>)', 'c d.md'), '[a](<c d.md>)')
  assert.is(rewrite('[a](‹<b c.md>›)', 'c d.md'), '[a](<c d.md>)')
  assert.is(rewrite('<img src="‹a.png›">', 'b "c" &amp;.png'), '<img src="b &quot;c&quot; &amp;amp;.png">')
  assert.is(rewrite('{% content-ref url="‹a.md›" %}', 'b "c".md'), '{% content-ref url="b %22c%22.md" %}')
  assert.is(rewrite('[x]: ‹a.md›', 'b c.md'), '[x]: <b c.md>')
  assert.throws(
    () =>
      rewriteReferences('abc', [
        { start: 0, end: 2, target: 'x' },
        { start: 1, end: 3, target: 'y' },
      ]),
    /overlap/,
  )
})

test('targets are written relative to their file', () => {
  assert.is(relativeTarget('docs/a/b.md', 'docs/a/c.md'), 'c.md')
  assert.is(relativeTarget('docs/a/b.md', 'docs/a/c.md', 'dot'), './c.md')
  assert.is(relativeTarget('docs/a/b.md', 'docs/c/50% #1.md'), '../c/50%25 %231.md')
  assert.is(relativeTarget('docs/a/b.md', 'c.md', 'root'), '/c.md')
  assert.is(relativeTarget('a.md', 'x:y.md'), './x:y.md')
  assert.equal(['../a.md', './a.md', '/a.md', 'a.md'].map(styleOf), ['plain', 'dot', 'root', 'plain'])
})

test('a target keeps its form when its file is renamed', () => {
  const cases: Array<[from: string, target: string, resolved: string, to: string, next: string]> = [
    ['guide/one.md', '../guide/', 'guide/README.md', 'manual/README.md', '../manual/'],
    ['guide/one.md', '../guide', 'guide/README.md', 'manual/README.md', '../manual'],
    ['guide/one.md', '../guide/README.md#a', 'guide/README.md', 'manual/README.md', '../manual/README.md#a'],
    ['guide/one.md', './../guide/two?x=1#a', 'guide/two.md', 'manual/two.md', './../manual/two?x=1#a'],
    ['a.md', './guide/two.md', 'guide/two.md', 'manual/two.md', './manual/two.md'],
    ['a.md', '/guide/two', 'docs/guide/two.md', 'docs/manual/two.md', '/manual/two'],
    ['caf\u00e9/a.md', '../caf%C3%A9/b%20c.md', 'caf\u00e9/b c.md', 'caf\u00e9/d e.md', '../caf%C3%A9/d e.md'],
    ['a/b.md', 'c.html', 'a/c.md', 'a/d.md', 'd.html'],
    ['a/b.md', '../a/index.html', 'a/README.md', 'd/README.md', '../d/index.html'],
  ]
  for (const [from, target, resolved, to, next] of cases)
    assert.is(
      renamedTarget(target, resolved, { from: from.replace(/^guide/, 'manual'), to, root: 'docs' }),
      next,
      target,
    )
})

test('only the first heading is found and changed', () => {
  const cases: Array<[string, string, string]> = [
    [
      '---\n# no\na: 1\n---\n\n```\n# no\n```\n<!--\n# no\n-->\n## no\n\n# The `code` *title* #\n\n# Other\n',
      'The code title',
      'New',
    ],
    ['Some *text*\n====\n', 'Some text', 'New'],
    ['\ufeff# T\r\n\r\nx\r\n', 'T', 'New'],
    ['# Attributes { #a .b }\n', 'Attributes', 'New'],
    ['Attributes {: #a key="b c" }\n===\n', 'Attributes', 'New'],
    ['<h1><img src="a.png"></h1>\n\n<h1\n class="x">Second</h1>\n', 'Second', 'New'],
    ['Text <h1>no</h1>\n\n```\n<h1>no</h1>\n```\n<!-- <h1>no</h1> -->\n\n# Yes\n', 'Yes', 'New'],
  ]
  for (const [text, title, put] of cases) {
    const heading = firstHeading(text)!
    assert.is(heading.title, title)
    const done = setFirstHeading(text, put)
    assert.is(done, text.slice(0, heading.textStart) + put + text.slice(heading.textEnd))
    assert.is(firstHeading(done)!.title, put)
  }
  assert.is(firstHeading('text\n\n## Two\n'), null)
  assert.is(setFirstHeading('text\n', 'x'), 'text\n')
  assert.is(firstHeading(setFirstHeading('# a\n', '1. *b* [c] #'))!.title, '1. *b* [c] #')
  for (const braces of ['# {#a}', '# x {{ y }}', '# Set {1, 2}', '# f {x=1}', '# {% raw %}'])
    assert.is(firstHeading(`${braces}\n`)?.title, braces.slice(2), braces)
  assert.is(setFirstHeading('<h1>\n  A &amp; B\n</h1>\n', 'C < D'), '<h1>\n  C &lt; D\n</h1>\n')
  assert.is(
    firstHeading(
      '<p align="center">\n  <img src="a.png">\n  <h1 align="center">A &amp; <i>B</i></h1>\n</p>\n\n# Other\n',
    )?.title,
    'A & B',
  )
  assert.is(setFirstHeading('<h1><b>A</b></h1>\n', 'B'), '<h1><b>A</b></h1>\n')
  assert.is(titleOf('---\ntitle: Of the page\n---\n\nText.\n'), 'Of the page')
  assert.is(titleOf('---\ntitle: Of the page\n---\n\n<h1>Heading</h1>\n'), 'Heading')
  assert.is(titleOf('Text.\n'), '')
  assert.is(firstHeading('# [Linked](x.md) title\n')!.title, 'Linked title')
})

test.run()
