import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { FACT_KINDS } from '../../src/content/facts.js'
import { PageIndex } from '../../src/domain/context/page-facts.js'
import { openTexts } from '../../src/domain/context/open-texts.js'
import { revisionCache } from '../../src/domain/revisions/revision-cache.js'
import { openFacts } from '../../src/facts/index.js'
import { suite } from '../support/suite.js'

const test = suite('facts of pages')
const dir = await mkdtemp(join(tmpdir(), 'bindery-page-facts-'))
const { texts, close } = openTexts()
test.after(async () => {
  await close()
  await rm(dir, { recursive: true, force: true })
})

const oid = (n: number): string => n.toString(16).padStart(40, '0')
const pages = new Map(
  Array.from({ length: 80 }, (_, n) => [oid(n), `# Page ${n}\n\nLead.\n\n## Part\n\nText ${n} [x](y-${n}.md).\n`]),
)
const open = (name: string): { index: PageIndex; reads: () => number; close: () => void } => {
  const facts = openFacts({
    file: join(dir, name),
    kinds: FACT_KINDS,
    version: 1,
    maxBytes: 1e9,
    notice: (message) => assert.unreachable(message),
  })
  return { index: new PageIndex(texts, facts, revisionCache()), reads: () => reads, close: () => facts.close() }
}
let reads = 0
const files = {
  read: async (asked: string) => {
    reads++
    return Buffer.from(pages.get(asked) ?? '')
  },
}

test('all kinds of facts are computed together and are later read from the index', async () => {
  const first = open('facts.db')
  const outlines = await first.index.outlines('space', files, pages.keys())
  assert.is(outlines.size, 80)
  assert.equal(outlines.get(oid(7)), {
    title: 'Page 7',
    headings: [
      { level: 1, title: 'Page 7', anchor: 'page-7' },
      { level: 2, title: 'Part', anchor: 'part' },
    ],
    anchors: [],
    scripts: ['latin'],
  })
  assert.is(reads, 80)
  first.close()
  const second = open('facts.db')
  assert.equal((await second.index.sections('space', files, pages.keys())).get(oid(7)), [
    { anchor: null, title: '', text: 'Lead.' },
    { anchor: 'part', title: 'Part', text: 'Text 7 x.' },
  ])
  assert.is((await second.index.references('space', files, [oid(3)])).get(oid(3))?.[0]?.target, 'y-3.md')
  assert.equal((await second.index.outlines('space', files, pages.keys())).get(oid(7)), outlines.get(oid(7)))
  assert.is(reads, 80)
  second.close()
})

test('the texts of many pages are read once, so they are not cached', async () => {
  const one = open('once.db')
  const asked: unknown[] = []
  const source = {
    read: async (blob: string, _most?: number, once?: boolean) => {
      asked.push(once ?? false)
      return Buffer.from(pages.get(blob) ?? '')
    },
  }
  await one.index.pages('space', source, [oid(1), oid(2)])
  assert.equal(new Set(asked.splice(0)), new Set([false]))
  await one.index.pages('space', source, pages.keys())
  assert.equal(
    asked,
    Array.from({ length: 78 }, () => true),
  )
  one.close()
})

test('page titles without a table of contents equal those of the outlines', async () => {
  const before = reads
  const one = open('titles.db')
  const titles = await texts.for('space').headings(files, [oid(1), oid(2)])
  assert.equal(
    [...titles],
    [
      [oid(1), 'Page 1'],
      [oid(2), 'Page 2'],
    ],
  )
  assert.is(reads, before + 2)
  one.close()
})

test('facts that several requests need at the same time are computed once', async () => {
  const before = reads
  const one = open('together.db')
  const asked = await Promise.all([
    one.index.sections('a', files, pages.keys()),
    one.index.pages('b', files, pages.keys()),
    one.index.outlines('c', files, pages.keys()),
  ])
  for (const found of asked) assert.is(found.size, 80)
  assert.is(reads, before + 80)
  one.close()
})

test.run()
