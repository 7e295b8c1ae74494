import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, open, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type FactRow, type FactsIndex, openFacts } from '../../src/facts/index.js'
import { suite } from '../support/suite.js'

const test = suite('facts index')
const dir = mkdtempSync(join(tmpdir(), 'bindery-facts-'))
test.after(() => rmSync(dir, { recursive: true, force: true }))

let files = 0
const newFile = (): string => join(dir, `${++files}.db`)
const notices: string[] = []
const openAt = (file: string, { version = 1, maxBytes = 1e9 } = {}): FactsIndex =>
  openFacts({ file, kinds: ['page', 'references'], version, maxBytes, notice: (message) => notices.push(message) })
const row = (oid: string, value = `{"of":"${oid}"}`): FactRow => ({ oid, values: [value, '[]'] })
const rows = (count: number, value?: string): FactRow[] =>
  Array.from({ length: count }, (_, index) => row(`oid-${index}`, value))

/** Whether a row can be written and read, after a failure that recreates the file if necessary. */
function works(facts: FactsIndex): boolean {
  facts.get('page', ['any'])
  facts.put([row('one')])
  return facts.get('page', ['one']).get('one') === '{"of":"one"}'
}

test('the index keeps written values by kind for later readers', () => {
  const file = newFile()
  const first = openAt(file)
  first.put(rows(1_000))
  first.close()
  const second = openAt(file)
  assert.is(second.get('page', [...rows(1_000).map(({ oid }) => oid), 'none']).size, 1_000)
  assert.equal([...second.get('references', ['oid-1', 'none'])], [['oid-1', '[]']])
  second.close()
})

test('only the owner can read the files of the index', async () => {
  const file = newFile()
  const facts = openAt(file)
  assert.ok(works(facts))
  for (const end of ['', '-wal', '-shm']) assert.is((await stat(file + end)).mode & 0o777, 0o600)
  facts.close()
})

test('the index drops rows of another version', () => {
  const file = newFile()
  const first = openAt(file)
  first.put([row('one')])
  first.close()
  const second = openAt(file, { version: 2 })
  assert.is(second.get('page', ['one']).size, 0)
  assert.ok(works(second))
  second.close()
})

test('the index is rebuilt if its file is damaged', async () => {
  const damages: Array<(file: string) => Promise<unknown>> = [
    (file) => writeFile(file, 'garbage '.repeat(2_000)),
    (file) => truncate(file, 10_000),
    (file) => truncate(file, 50),
    (file) => writeFile(file, ''),
    async (file) => {
      const handle = await open(file, 'r+')
      const { size } = await handle.stat()
      await handle.write(Buffer.alloc(size - 4096, 0xa5), 0, size - 4096, 4096)
      await handle.close()
    },
    (file) => rm(file),
  ]
  for (const damage of damages) {
    const file = newFile()
    const first = openAt(file)
    first.put(rows(2_000))
    first.close()
    await damage(file)
    const second = openAt(file)
    assert.ok(works(second), `after ${damage}`)
    second.close()
    const third = openAt(file)
    assert.is(third.get('page', ['one']).size, 1)
    third.close()
  }
})

test('the index is rebuilt if its file is truncated while it is open', async () => {
  const file = newFile()
  const facts = openAt(file)
  const large = `"${'x'.repeat(4_000)}"`
  // More than may wait in memory, so that most of it is written.
  facts.put(rows(5_000, large))
  for (const end of ['', '-wal']) await truncate(file + end, 0)
  for (const { oid } of rows(5_000)) facts.get('page', [oid])
  assert.ok(works(facts))
  facts.close()
})

test('the index is disabled with one notice if a directory is in its place', async () => {
  const file = newFile()
  await mkdir(file)
  notices.length = 0
  const facts = openAt(file)
  assert.is(facts.get('page', ['one']).size, 0)
  facts.put([row('one')])
  assert.is(facts.get('page', ['one']).size, 0)
  assert.is(notices.filter((one) => one.includes('is not used')).length, 1)
  facts.close()
})

test('the index stays within its limit, however small', async () => {
  const file = newFile()
  const facts = openAt(file, { maxBytes: 1_000_000 })
  for (let round = 0; round < 40; round++)
    facts.put(Array.from({ length: 100 }, (_, index) => row(`oid-${round}-${index}`, `"${'x'.repeat(8_000)}"`)))
  facts.close()
  // Rows that are written between two checks are not included.
  assert.ok((await stat(file)).size < 8_000_000, `${(await stat(file)).size} bytes`)
})

test('the index does not store values that are too large', () => {
  const facts = openAt(newFile())
  facts.put([row('large', `"${'x'.repeat(100_000)}"`), row('small')])
  assert.equal([...facts.get('page', ['large', 'small']).keys()], ['small'])
  facts.close()
})

test('the index can be read after it is closed', () => {
  const facts = openAt(newFile())
  facts.put([row('one')])
  facts.close()
  facts.put([row('two')])
  assert.is(facts.get('page', ['one']).size, 0)
})

test.run()
