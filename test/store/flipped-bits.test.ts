import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { journal, openStore, StoreDamaged, type StoreEvent, table } from '../../src/store/index.js'
import { flip, positionsIn } from '../support/flipped-bits.js'
import { firstSeed, runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from './places.js'

const FLIPS = runs(150, 1_000)
const DOCUMENTS = 40

const test = suite('flipped bits and cut logs of the store')
const things = table<{ id: string; owner: string; n: number }>()({
  name: 'things',
  indexes: { owner: ({ owner }) => owner },
  owner: ({ owner }) => owner,
})
const log = journal<{ id: string; org: string; at: string }>()({
  name: 'journal-things',
  group: ({ org }) => org,
  at: ({ at }) => at,
})

/** A store with checkpoints, journal segments, and records that are only in the log, as a kill leaves it. */
async function made(dir: string): Promise<void> {
  const write = async (from: number, to: number): Promise<void> => {
    const store = await openStore({ dir })
    for (let n = from; n < to; n++)
      await store.transact(async (tx) => {
        await tx.insert(things, { id: `thing-${n}`, owner: `owner-${n % 3}`, n })
        await tx.append(log, `org-${n % 2}`, () => ({
          id: `record-${n}`,
          org: `org-${n % 2}`,
          at: '2026-01-01T00:00:00Z',
        }))
      })
    if (to === DOCUMENTS) cpSync(dir, `${dir}-killed`, { recursive: true })
    await store.close()
  }
  await write(0, DOCUMENTS / 2)
  await write(DOCUMENTS / 2, DOCUMENTS)
  rmSync(dir, { recursive: true })
  cpSync(`${dir}-killed`, dir, { recursive: true })
  rmSync(`${dir}-killed`, { recursive: true })
}

/** The numbers of all documents and records, in their order. */
async function contentOf(dir: string, events: StoreEvent[] = []): Promise<number[][]> {
  const store = await openStore({ dir, tables: [things], log: (event) => events.push(event) })
  try {
    const documents = (await store.all(things)).map(({ n }) => n).sort((a, b) => a - b)
    const records: number[] = []
    for (const group of ['org-0', 'org-1']) {
      const found = await store.read(log, group, { direction: 'asc', limit: 1000 })
      records.push(...found.records.map(({ record: { id } }) => Number(id.split('-')[1])))
    }
    return [documents, records.sort((a, b) => a - b)]
  } finally {
    await store.close()
  }
}

const filesOf = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'lock')
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => statSync(file).size > 0)
    .sort()

/** Calls `damage` on a fresh copy each time. */
async function each(times: number, damage: (dir: string, n: number) => Promise<void>): Promise<void> {
  const { dir, remove } = temporaryDir()
  await made(dir)
  for (let n = 0; n < times; n++) {
    const copy = `${dir}-copy`
    cpSync(dir, copy, { recursive: true })
    await damage(copy, n)
    rmSync(copy, { recursive: true })
  }
  remove()
}

const ALL = Array.from({ length: DOCUMENTS }, (_, n) => n)

test(`each of ${FLIPS} flipped bits in a store is corrected with its checksum, and reported`, async () => {
  const outcomes = { same: 0, corrected: 0 }
  const seed = firstSeed()
  await each(FLIPS, async (dir, n) => {
    const files = filesOf(dir)
    const file = files[(n * 7 + seed) % files.length] ?? ''
    const [position = { byte: 0, bit: 0 }] = positionsIn(file, 1, seed + n)
    flip(file, position)
    const where = `${file.slice(dir.length + 1)} byte ${position.byte} bit ${position.bit}`
    const events: StoreEvent[] = []
    const found = await contentOf(dir, events)
    assert.equal(found, [ALL, ALL], where)
    const corrected = events.find((event) => event.event === 'bit-corrected')
    if (corrected) assert.equal([corrected.file, corrected.offset], [file, position.byte], where)
    outcomes[corrected ? 'corrected' : 'same']++
    // The close has written checkpoints, which replace the damaged file. Segments of journals are checked when they are
    // read, and replaced by a full check.
    const again: StoreEvent[] = []
    assert.equal(await contentOf(dir, again), [ALL, ALL], where)
    assert.not.ok(
      again.some(({ event }) => event === 'bit-corrected'),
      where,
    )
  })
  console.log('flipped bits in a store:', JSON.stringify({ flips: FLIPS, seed, ...outcomes }))
  assert.ok(outcomes.corrected > FLIPS / 2, JSON.stringify(outcomes))
})

test('a log that is cut at any 64th byte has the records before the cut, or is reported', async () => {
  const { dir, remove } = temporaryDir()
  await made(dir)
  const logs = filesOf(join(dir, 'log'))
  const file = logs.at(-1) ?? ''
  const bytes = readFileSync(file)
  const ends = [...bytes.entries()].filter(([, byte]) => byte === 10).map(([at]) => at + 1)
  remove()
  const cuts = Math.ceil(bytes.length / 64)
  assert.ok(cuts > 20 && logs.length > 0)
  await each(cuts, async (copy, n) => {
    const at = n * 64
    writeFileSync(file.replace(dir, copy), bytes.subarray(0, at))
    const found = await contentOf(copy).catch((error: unknown) => {
      assert.instance(error, StoreDamaged)
      assert.ok(String(error).includes(copy), `cut at ${at}: ${error}`)
      return null
    })
    if (found === null) return
    const whole = ends.filter((end) => end <= at).length
    const [documents = [], records = []] = found
    assert.equal(documents, records, `cut at ${at}`)
    assert.equal(documents, ALL.slice(0, documents.length), `cut at ${at}`)
    assert.ok(
      documents.length >= DOCUMENTS / 2 + Math.max(0, whole - 2),
      `cut at ${at}: ${documents.length} of ${whole}`,
    )
  })
})

test.run()
