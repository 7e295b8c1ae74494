import fc from 'fast-check'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { table, journal, openStore, type Store, type StoreEvent, type Transaction } from '../../src/store/index.js'
import { LossyFs } from '../support/lossy-fs.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from './places.js'

const test = suite('power cuts')
interface Thing {
  id: string
  owner: string
  mark: string
}
const things = table<Thing>()({
  name: 'things',
  indexes: { byMark: (thing) => thing.mark },
  owner: (thing) => thing.owner,
})

const marks = journal<{ mark: string; at: string }>()({ name: 'journal-marks', group: () => 'all', at: ({ at }) => at })

/** The changes of one transaction: sets (or removes, if mark is null) documents, all with one mark. */
type Step = { id: string; owner: string; remove: boolean }[]
const step: fc.Arbitrary<Step> = fc.array(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    owner: fc.constantFrom('one', 'Two', 'three'),
    remove: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
)

async function apply(tx: Transaction, steps: Step, mark: string): Promise<void> {
  for (const { id, owner, remove } of steps) {
    const before = await tx.get(things, id)
    if (remove) await tx.remove(things, id)
    else if (before) await tx.replace(things, { ...before, owner, mark })
    else await tx.insert(things, { id, owner, mark })
  }
  // Of the same day or the next one, so that segments grow and start.
  await tx.append(marks, 'all', () => ({
    mark,
    at: `2026-01-${String(1 + (Number(mark) >> 3)).padStart(2, '0')}T00:00:00.000Z`,
  }))
  // A document that every transaction writes. Its mark shows the last transaction that counts.
  const last = await tx.get(things, 'last')
  if (last) await tx.replace(things, { ...last, mark })
  else await tx.insert(things, { id: 'last', owner: 'last', mark })
}

const model = (steps: readonly Step[]): Map<string, string> => {
  const state = new Map<string, string>()
  for (const [n, changes] of steps.entries()) {
    for (const { id, owner, remove } of changes) {
      if (remove) state.delete(id)
      else state.set(id, `${owner} ${n}`)
    }
  }
  return state
}

async function contents(store: Store): Promise<{ last: number; state: Map<string, string> }> {
  const all = await store.all(things)
  for (const thing of all) assert.ok((await store.find(things, 'byMark', thing.mark)).some(({ id }) => id === thing.id))
  const { records, next } = await store.read(marks, 'all', { direction: 'asc', limit: 10_000 })
  assert.is(next, null)
  for (const [n, { position, record }] of records.entries()) assert.equal([position, record.mark], [n + 1, String(n)])
  assert.is(
    records.length,
    Number(all.find(({ id }) => id === 'last')?.mark ?? -1) + 1,
    'the journal is what the documents are',
  )
  const last = all.find(({ id }) => id === 'last')
  return {
    last: last ? Number(last.mark) : -1,
    state: new Map(all.filter(({ id }) => id !== 'last').map(({ id, owner, mark }) => [id, `${owner} ${mark}`])),
  }
}

const sorted = (map: Map<string, string>) => [...map].sort()

/**
 * The plan of a run: the number of concurrent transactions, the size at which checkpoints start, and whether the next
 * step waits for them.
 */
interface Pace {
  together: number
  afterBytes: number
  calm: boolean
}

/** Runs steps until the power cut. Returns the acknowledged ones. A failed close represents the end of the process. */
async function live(
  fs: LossyFs,
  dir: string,
  steps: readonly Step[],
  from: number,
  { together, afterBytes, calm }: Pace,
): Promise<number> {
  let acknowledged = from - 1
  let store: Store | undefined
  let checkpointed: () => void = () => undefined
  const log = ({ event }: StoreEvent) => void (event.startsWith('checkpoint') && checkpointed())
  try {
    store = await openStore({ dir, fs, checkpointAfterBytes: afterBytes, log })
    for (let n = from; n < steps.length && !fs.isOff; n += together) {
      const checkpoint = new Promise<void>((resolve) => (checkpointed = resolve))
      const group = steps
        .slice(n, n + together)
        .map((changes, k) => store!.transact((tx) => apply(tx, changes, String(n + k))).then(() => n + k))
      for (const outcome of await Promise.allSettled(group))
        if (outcome.status === 'fulfilled') acknowledged = Math.max(acknowledged, outcome.value)
      if (calm && afterBytes === 1 && acknowledged >= n) await checkpoint
    }
  } catch (thrown) {
    if (!fs.isOff) throw thrown
  } finally {
    fs.powerOff()
    await store?.close()
  }
  return acknowledged
}

async function survives(steps: Step[], cuts: number[], dice: number[], pace: Pace): Promise<void> {
  const place = temporaryDir()
  try {
    const dir = join(place.dir, 'store')
    let fs = new LossyFs(place.dir)
    let thrown = 0
    const random = (max: number): number => (dice.length === 0 ? 0 : dice[thrown++ % dice.length]! % (max + 1))
    let done: Step[] = steps
    let from = 0
    for (const cut of cuts) {
      fs.operationsLeft = cut
      const acknowledged = await live(fs, dir, done, from, pace)
      fs.crash(random)
      fs = fs.afterCrash()
      const store = await openStore({ dir, fs })
      const { last, state } = await contents(store)
      fs.powerOff()
      await store.close()
      assert.ok(last >= acknowledged, `transaction ${acknowledged} was acknowledged, ${last} is the last there`)
      assert.equal(sorted(state), sorted(model(done.slice(0, last + 1))), 'whole transactions, in order')
      // A transaction that was lost in transit never happened. The next run continues without it.
      done = [...done.slice(0, last + 1), ...steps]
      from = last + 1
      fs.crash(random)
      fs = fs.afterCrash()
    }
  } finally {
    place.remove()
  }
}

test('whole acknowledged transactions survive repeated power cuts at any operation', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.array(fc.nat(120), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(1000), { maxLength: 12 }),
      fc.record({
        together: fc.integer({ min: 1, max: 5 }),
        afterBytes: fc.constantFrom(1, 1, 300, 1500, 1_000_000),
        calm: fc.boolean(),
      }),
      survives,
    ),
    { numRuns: 70 },
  )
})

test('a power cut at every operation of a run with checkpoints loses nothing acknowledged', async () => {
  const steps: Step[] = [
    [{ id: 'a', owner: 'one', remove: false }],
    [
      { id: 'a', owner: 'Two', remove: false },
      { id: 'b', owner: 'one', remove: false },
    ],
    [
      { id: 'a', owner: 'Two', remove: true },
      { id: 'b', owner: 'one', remove: true },
    ],
    [{ id: 'c', owner: 'one', remove: false }],
  ]
  for (let cut = 0; cut < 100; cut++)
    await survives(steps, [cut], cut % 2 === 0 ? [] : [cut, 7, 3, 1000], { together: 1, afterBytes: 1, calm: true })
})

test('the test file system loses data that is not synced', async () => {
  const place = temporaryDir()
  const fs = new LossyFs(place.dir)
  const write = async (name: string, sync: boolean) => {
    const file = await fs.open(join(place.dir, name), 'create')
    await file.append(Buffer.from('kept'))
    if (sync) await file.datasync()
    await file.append(Buffer.from('lost'))
    await file.close()
  }
  await write('synced', true)
  await write('not-synced', false)
  await fs.syncDir(place.dir)
  await write('no-entry', true)
  await fs.rename(join(place.dir, 'synced'), join(place.dir, 'renamed'))
  fs.crash()
  const after = fs.afterCrash()
  assert.equal((await after.readdir(place.dir)).sort(), ['not-synced', 'synced'])
  assert.is((await after.readFile(join(place.dir, 'synced'))).toString(), 'kept')
  assert.is((await after.readFile(join(place.dir, 'not-synced'))).toString(), '')
  place.remove()
})

test.run()
