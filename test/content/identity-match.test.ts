import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { assign, type Edge } from '../../src/content/identity-match/assign.js'
import { matchPages, type PageVersion } from '../../src/content/identity-match/match.js'
import { firstHeading } from '../../src/content/title.js'
import { Slices } from '../../src/kernel/slices.js'
import { suite } from '../support/suite.js'

const test = suite('matching of page IDs')

/** Returns the maximum sum of scores, by trying all assignments. */
function bestSum(edges: readonly Edge[], rows: readonly number[]): number {
  const [row, ...rest] = rows
  if (row === undefined) return 0
  const without = bestSum(edges, rest)
  const own = edges.filter((edge) => edge.row === row)
  const others = (column: number): Edge[] => edges.filter((edge) => edge.column !== column)
  return Math.max(without, ...own.map((edge) => edge.score + bestSum(others(edge.column), rest)))
}

test('the assignment has the maximum sum and uses no row or column twice', () => {
  const edge = fc.record({
    row: fc.nat(4),
    column: fc.nat(4),
    score: fc.integer({ min: 1, max: 20 }).map((n) => n / 8),
  })
  fc.assert(
    fc.property(fc.uniqueArray(edge, { maxLength: 14, selector: ({ row, column }) => `${row} ${column}` }), (edges) => {
      const chosen = assign(edges)
      assert.is(new Set(chosen.values()).size, chosen.size)
      const sum = [...chosen].reduce(
        (all, [row, column]) =>
          all + (edges.find((one) => one.row === row && one.column === column)?.score ?? Number.NaN),
        0,
      )
      assert.is(sum, bestSum(edges, [0, 1, 2, 3, 4]))
    }),
    { numRuns: 500 },
  )
})

const BODIES: Record<string, (name: string) => string> = {
  own: (name) => `# ${name}\n\n${Array.from({ length: 9 }, (_, n) => `${name} says a thing of ${n}.\n`).join('')}`,
  form: (name) =>
    `# ${name}\n\n${Array.from({ length: 20 }, (_, n) => `The form has a field ${n}.\n`).join('')}\nFilled in by ${name}.\n`,
  bare: (name) => `${Array.from({ length: 6 }, (_, n) => `Without a heading, ${name} says ${n}.\n`).join('')}`,
  intro: (name) => `# Introduction\n\nThis is the part of ${name}.\n\nIt has what ${name} needs.\n`,
}
const EDITS: Record<string, (text: string) => string> = {
  none: (text) => text,
  append: (text) => `${text}One more line.\n`,
  prepend: (text) => text.replace(/\n/, '\n\nA word before.\n'),
  crlf: (text) => text.replaceAll('\n', '\r\n'),
}

interface Page {
  /** The old path. Null = the page is new. */
  from: string | null
  /** The new path. Null = the page is deleted. */
  to: string | null
  body: string
  edit: string
}

const sightOf = (path: string, text: string, title: string | null): PageVersion => ({
  path,
  oid: text,
  text,
  title,
  heading: firstHeading(text)?.title ?? null,
})

test('pages keep their IDs through permutations, renames, removals and edits of files', async () => {
  const paths = Array.from({ length: 8 }, (_, n) => `p${n}.md`)
  const page = fc.record({
    body: fc.constantFrom(...Object.keys(BODIES)),
    edit: fc.constantFrom(...Object.keys(EDITS)),
  })
  const moved = fc
    .tuple(
      fc.shuffledSubarray(paths, { minLength: 2 }),
      fc.shuffledSubarray(paths, { minLength: 2 }),
      fc.array(page, { minLength: 16, maxLength: 16 }),
    )
    .map(([was, is, kinds]) => {
      const [before, after] = [was.slice(0, Math.max(was.length, is.length)), is]
      return kinds
        .slice(0, Math.max(before.length, after.length))
        .map(({ body, edit }, n): Page => ({ from: before[n] ?? null, to: after[n] ?? null, body, edit }))
    })
  await fc.assert(
    fc.asyncProperty(moved, async (pages) => {
      // A new page is not a copy of an old one, since no one can tell which of two near-equal texts is the old page.
      const textOf = ({ from, body }: Page, n: number): string => BODIES[from === null ? 'own' : body]!(`page${n}`)
      const old = pages.flatMap((one, n) => (one.from === null ? [] : [sightOf(one.from, textOf(one, n), null)]))
      const now = pages.flatMap((one, n) =>
        one.to === null ? [] : [sightOf(one.to, EDITS[one.edit]!(textOf(one, n)), null)],
      )
      const found = await matchPages(old, now, new Slices())
      for (const { from, to } of pages)
        if (from !== null && to !== null) assert.is(found.get(from), to, `${from} → ${to}`)
      assert.is(new Set(found.values()).size, found.size)
    }),
    { numRuns: 500 },
  )
})

test('thousands of changed pages are matched, a third in rings and none by equal bytes', async () => {
  const COUNT = 3_000
  const texts = Array.from({ length: COUNT }, (_, n) => BODIES.own!(`page${n}`))
  const at = (n: number): number => (n % 3 === 0 ? (n + 3) % COUNT : n)
  const old = texts.map((text, n) => sightOf(`p${n}.md`, text, null))
  const now = texts.map((text, n) => sightOf(`p${at(n)}.md`, EDITS.append!(text), null))
  const found = await matchPages(old, now, new Slices())
  for (let n = 0; n < COUNT; n++) assert.is(found.get(`p${n}.md`), `p${at(n)}.md`)
})

test.run()
