import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { mergeSummary } from '../../../src/content/summary/merge.js'
import { Rescanner } from '../../../src/content/summary/rescan.js'
import { Scanner, scanSummary } from '../../../src/content/summary/scan.js'
import { runs, size } from '../../support/soak.js'
import { suite } from '../../support/suite.js'

const test = suite('incremental scans of SUMMARY.md')

const marker = fc.constantFrom('* ', '- ', '+ ', '1. ', '2) ', '*   ', '* * ')
const indent = fc.constantFrom('', '', '', '  ', '  ', '    ', '\t', '   ', '      ')
const name = fc.integer({ min: 0, max: 9 }).map(String)
const item = fc.tuple(indent, marker, name).map(([lead, mark, n]) => `${lead}${mark}[P${n}](p${n}.md)`)
const line = fc.oneof(
  { weight: 12, arbitrary: item },
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: name.map((n) => `## Group ${n}`) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '***',
      '---',
      '# Part',
      'prose',
      '  more prose',
      '* ',
      '  * ',
      '[A](a.md)',
      '[a]: b.md',
      '<!--',
      '-->',
      '```yaml',
      '  ```',
      '```',
      '##',
      '===',
      '    code',
    ),
  },
)
const text = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom('\n', '\n', '\r\n'))
  .map(([lines, eol]) => lines.map((one) => one + eol).join(''))
/** Lines from `at` on are replaced. */
const edit = fc.record({ at: fc.nat(25), gone: fc.nat(3), put: fc.array(line, { maxLength: 3 }), cut: fc.boolean() })

test('an edited text is read like a text that is scanned again', () => {
  fc.assert(
    fc.property(text, fc.array(edit, { minLength: 1, maxLength: 6 }), (start, edits) => {
      const rescanner = new Rescanner()
      let now = `# Table of contents\n\n${start}`
      assert.equal(rescanner.scan(now), scanSummary(now))
      for (const { at, gone, put, cut } of edits) {
        const lines = now.split(/(?<=\n)/)
        lines.splice(at, gone, ...put.map((one) => `${one}\n`))
        now = cut ? lines.join('').replace(/\n$/, '') : lines.join('')
        assert.equal(rescanner.scan(now), scanSummary(now), JSON.stringify(now))
      }
    }),
    { numRuns: runs(1_500, 20_000) },
  )
})

const ENTRIES = size(2_000, 8_000)
const CHANGES = ENTRIES / 20

test(`the work to merge ${CHANGES} changes into ${ENTRIES} entries grows with their sum`, () => {
  const entries = Array.from({ length: ENTRIES }, (_, n) => `${n % 10 === 0 ? '' : '  '}* [Page ${n}](dir/p${n}.md)\n`)
  const base = `# T\n\n${entries.join('')}`
  const ours = base.replace('[Page 3]', '[Page three]')
  const every = (change: (line: string, n: number) => string): string =>
    `# T\n\n${entries.map((line, n) => (n % 20 === 7 ? change(line, n) : line)).join('')}`
  const versions = {
    added: every((line, n) => `${line}  * [New ${n}](new/n${n}.md)\n`),
    appended: base + Array.from({ length: CHANGES }, (_, n) => `* [New ${n}](new/n${n}.md)\n`).join(''),
    retitled: every((line) => line.replace('Page', 'Side')),
    retargeted: every((line) => line.replace('dir/', 'folder/')),
    removed: every(() => ''),
  }
  const take = Scanner.prototype.take
  let lines = 0
  Scanner.prototype.take = function (line) {
    lines++
    take.call(this, line)
  }
  try {
    for (const [name, theirs] of Object.entries(versions)) {
      lines = 0
      assert.equal(mergeSummary(base, ours, theirs), { text: theirs.replace('[Page 3]', '[Page three]') }, name)
      assert.ok(lines < 8 * ENTRIES, `${name}: ${lines} lines were read`)
    }
  } finally {
    Scanner.prototype.take = take
  }
})

test.run()
