import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { SearchIndex } from '../../src/domain/context/search-index.js'
import type { IndexedPage, IndexedText } from '../../src/search/index.js'
import { suite } from '../support/suite.js'

const test = suite('search: large updates')
const dir = mkdtempSync(join(tmpdir(), 'bindery-search-'))
const notices: string[] = []
const index = new SearchIndex({ dir, maxBytes: 1_000_000_000, notice: (message) => void notices.push(message) })
test.after(async () => {
  await index.close()
  await rm(dir, { recursive: true, force: true })
})

/** Returns a text with `count` different words. */
const textWith = (oid: string, count: number): IndexedText => ({
  oid,
  about: '',
  sections: [
    { anchor: null, title: oid, text: Array.from({ length: count }, (_, n) => `${oid}${n.toString(36)}`).join(' ') },
  ],
})
const pageOf = (oid: string): IndexedPage => ({ id: `page-${oid}`, oid, title: oid, path: oid })
/** Texts with about 500 KB, which take longer to index than a small update. */
const large = Array.from({ length: 5 }, (_, n) => textWith(`large${n}x`, 10_000))
const oids = large.map(({ oid }) => oid)

async function updateTo(space: string, revision: string, texts: readonly IndexedText[]): Promise<void> {
  const missing = new Set(
    await index.missing(
      space,
      texts.map(({ oid }) => oid),
    ),
  )
  await index.add(
    space,
    texts.filter(({ oid }) => missing.has(oid)),
  )
  assert.ok(
    await index.set(
      space,
      revision,
      texts.map(({ oid }) => pageOf(oid)),
    ),
  )
}

const pagesWith = async (space: string, query: string): Promise<string[]> => {
  const [hits] = await index.find(space, [[space, { query, offset: 0, limit: 10 }]], 5_000)
  return hits?.pages.map(({ id }) => id) ?? []
}

test('a small update does not wait for the large update of another space', async () => {
  // This starts both threads.
  await index.add('busy', [textWith('first', 20_000)])
  await updateTo('quiet', 'one', [textWith('old', 10)])
  let isOver = false
  const busy = index.add('busy', large).then(() => (isOver = true))
  await updateTo('quiet', 'two', [textWith('new', 10)])
  assert.equal(await pagesWith('quiet', 'new3'), ['page-new'])
  assert.not.ok(isOver)
  await busy
})

test('small and large tasks write the same file in turn', async () => {
  assert.equal(await index.missing('busy', oids), [])
  await updateTo('busy', 'one', [...large, textWith('small', 10)])
  assert.equal(await pagesWith('busy', 'small3'), ['page-small'])
  assert.equal(await pagesWith('busy', 'large3x3'), ['page-large3x'])
})

test('an index that is deleted during a large update is complete after the next one', async () => {
  const adding = index.add('deleted', large)
  await index.forget('deleted')
  await adding
  await updateTo('deleted', 'one', large)
  assert.is(await index.revision('deleted'), 'one')
  assert.equal(await pagesWith('deleted', 'large3x3'), ['page-large3x'])
  assert.equal(notices, [])
})

test.run()
