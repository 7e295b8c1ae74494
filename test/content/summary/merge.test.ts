import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { insertEntry, moveEntry, removeEntry, retitleEntry } from '../../../src/content/summary/edit.js'
import { mergeSummary } from '../../../src/content/summary/merge.js'
import { runs } from '../../support/soak.js'
import { suite } from '../../support/suite.js'
import { at, modelOf, paths, summaryText } from './model.js'

const test = suite('content: merges of SUMMARY.md')

const base = '# T\n\n* [Home](README.md)\n\n## G\n\n* [A](a.md)\n  * [B](b.md)\n* [C](c.md)\n* [D](d.md)\n'
const merged = (ours: string, theirs: string, from = base): string => {
  const result = mergeSummary(from, ours, theirs)
  if ('conflict' in result) throw new Error(result.conflict)
  return result.text
}
const conflicts = (ours: string, theirs: string): string => {
  const result = mergeSummary(base, ours, theirs)
  return 'conflict' in result ? result.conflict : `no conflict: ${result.text}`
}

test('two appended entries merge as ours, then theirs', () => {
  const ours = `${base}* [O1](o1.md)\n  * [O2](o2.md)\n`
  const theirs = `${base}* [T1](t1.md "x")\n  * [T2](t2.md)\n`
  assert.is(merged(ours, theirs), `${base}* [O1](o1.md)\n  * [O2](o2.md)\n* [T1](t1.md "x")\n  * [T2](t2.md)\n`)
})

test('additions, removals, new titles, new targets and moves are independent', () => {
  const ours = retitleEntry(removeEntry(base, [1, 2]), [1, 1], 'C ours')
  const theirs = moveEntry(base, [1, 1], { parent: [1, 0], at: 0 })
  assert.is(
    merged(ours, theirs),
    '# T\n\n* [Home](README.md)\n\n## G\n\n* [A](a.md)\n  * [C ours](c.md)\n  * [B](b.md)\n',
  )
  assert.is(
    merged(base.replace('(c.md)', '(c2.md)'), base.replace('[C]', '[C2]')),
    base.replace('[C](c.md)', '[C2](c2.md)'),
  )
  assert.is(
    merged(base.replace('## G', '## H'), `${base}* [T](t.md)\n`),
    `${base.replace('## G', '## H')}* [T](t.md)\n`,
  )
  assert.is(
    merged(`${base}* [O](o.md)\n`, `${base}\n## N\n\n* [T](t.md)\n`),
    `${base}* [O](o.md)\n\n## N\n\n* [T](t.md)\n`,
  )
  assert.is(
    merged(base.replace('* [D](d.md)\n', ''), base.replace('  * [B](b.md)\n', '')),
    base.replace('* [D](d.md)\n', '').replace('  * [B](b.md)\n', ''),
  )
})

test('moves on both sides that form a tree only together are merged', () => {
  const from = '* [T](t.md)\n  * [P](p.md)\n* [H](h.md)\n* [Z](z.md)\n'
  const ours = '* [T](t.md)\n  * [P](p.md)\n    * [H](h.md)\n* [Z](z.md)\n'
  const theirs = '* [H](h.md)\n  * [T](t.md)\n* [Z](z.md)\n  * [P](p.md)\n'
  assert.is(merged(ours, theirs, from), '* [Z](z.md)\n  * [P](p.md)\n    * [H](h.md)\n      * [T](t.md)\n')
  const apart = mergeSummary(
    from,
    '* [T](t.md)\n  * [P](p.md)\n  * [H](h.md)\n* [Z](z.md)\n',
    '* [H](h.md)\n  * [T](t.md)\n    * [P](p.md)\n* [Z](z.md)\n',
  )
  assert.ok('conflict' in apart)
})

test('a new order and a move elsewhere do not conflict', () => {
  const from = '* [A](a.md)\n* [B](b.md)\n* [C](c.md)\n'
  assert.is(
    merged('* [C](c.md)\n* [A](a.md)\n* [B](b.md)\n', '* [A](a.md)\n* [C](c.md)\n* [B](b.md)\n', from),
    '* [C](c.md)\n* [A](a.md)\n* [B](b.md)\n',
  )
  assert.is(
    merged('* [A](a.md)\n* [B](b.md)\n  * [C](c.md)\n', '* [C](c.md)\n* [A](a.md)\n* [B](b.md)\n', from),
    '* [A](a.md)\n* [B](b.md)\n  * [C](c.md)\n',
  )
})

test('a merge base with conflicting titles for an entry leaves its title undecided', () => {
  const called = (title: string): string => base.replace('[C](c.md)', `[${title}](c.md)`)
  for (const [one, two] of [
    ['One', 'Two'],
    ['Two', 'One'],
  ] as const) {
    const marked = base.replace(
      '* [C](c.md)\n',
      `<<<<<<< ours\n* [${one}](c.md)\n=======\n* [${two}](c.md)\n>>>>>>> theirs\n`,
    )
    assert.is(merged(called(one), called(one), marked), called(one))
    assert.is(
      merged(called('Three'), called('Three').replace('[D]', '[E]'), marked),
      called('Three').replace('[D]', '[E]'),
    )
    const result = mergeSummary(marked, called(one), called(two))
    assert.match(
      'conflict' in result ? result.conflict : `no conflict: ${result.text}`,
      /^Both sides changed the title of/,
    )
  }
})

test('an attribute that both sides changed is a conflict with an explanation', () => {
  assert.match(conflicts(base.replace('[C]', '[X]'), base.replace('[C]', '[Y]')), 'Both sides changed the title of “C”')
  assert.match(
    conflicts(base.replace('* [C](c.md)\n', ''), base.replace('[C]', '[Y]')),
    '“C” was removed here and changed there',
  )
  assert.match(
    conflicts(base.replace('* [A](a.md)\n  * [B](b.md)\n', ''), base.replace('  * [B]', '  * [N](n.md)\n  * [B]')),
    '“A” was removed here',
  )
  assert.match(
    conflicts(moveEntry(base, [1, 1], { parent: [1, 0] }), moveEntry(base, [1, 1], { parent: [1, 2] })),
    'Both sides moved “C”',
  )
})

test('a change on one side, or the same on both, returns that side byte for byte', () => {
  fc.assert(
    fc.property(summaryText, summaryText, (a, b) => {
      assert.equal(mergeSummary(a, b, a), { text: b })
      assert.equal(mergeSummary(a, a, b), { text: b })
      assert.equal(mergeSummary(a, b, b), { text: b })
    }),
  )
})

const RUNS = runs(100, 1_500)
test('a merge of any three versions keeps every added entry or is a conflict', () => {
  let clean = 0
  fc.assert(
    fc.property(summaryText, fc.nat(), fc.nat(), fc.nat(), fc.nat(), (text, a, b, c, d) => {
      const add = (to: string, name: string, pick: number): string => {
        const parents = [null, ...paths(modelOf(to))]
        return insertEntry(to, { title: name, href: `${name}.md`, parent: parents[pick % parents.length]! })
      }
      const rename = (to: string, pick: number, title: string): string => {
        const entries = paths(modelOf(to)).filter((path) => at(modelOf(to), path).href !== null)
        return entries.length > 0 ? retitleEntry(to, entries[pick % entries.length]!, title) : to
      }
      const [ours, theirs] = [rename(add(text, 'ours', a), b, 'Renamed'), add(rename(text, c, 'Renamed'), 'theirs', d)]
      const result = mergeSummary(text, ours, theirs)
      if ('conflict' in result) return
      clean++
      const targets = (of: string): string[] =>
        paths(modelOf(of))
          .map((path) => at(modelOf(of), path).href ?? '')
          .sort()
      assert.equal(
        targets(result.text),
        [...targets(text), 'ours.md', 'theirs.md'].sort(),
        `${JSON.stringify(text)}\n${JSON.stringify(result.text)}`,
      )
    }),
    { numRuns: RUNS },
  )
  assert.ok(clean > RUNS / 2, `${clean} of ${RUNS} merged`)
})

test.run()
