import fc from 'fast-check'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { table, journal, openStore, type Store } from '../../src/store/index.js'
import { type Failing, FaultyFs } from '../support/faulty-fs.js'
import { LossyFs } from '../support/lossy-fs.js'
import { runs, size } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from './places.js'

const test = suite('failing calls of the file system')
const things = table<{ id: string; owner: string; n: number }>()({
  name: 'things',
  indexes: {},
  owner: (thing) => thing.owner,
})

const told = journal<{ n: number; at: string }>()({
  name: 'journal-told',
  group: ({ n }) => `group ${n % 2}`,
  at: ({ at }) => at,
})

/** The end of a run: an orderly close, or a power cut that loses or keeps all data that was not synced. */
type Ending = 'closed' | 'lost' | 'kept'
interface Case {
  how: Failing
  ending: Ending
  fails: (call: number) => boolean
  /** Log size from which checkpoints are written. */
  afterBytes: number
  transactions: number
}
type State = ReadonlyMap<string, number>

/**
 * The allowed contents after a run: the acknowledged transactions and, if the log could not be truncated, the rejected
 * one in it.
 */
interface Outcome {
  known: State
  refused: State[]
}

async function live(
  place: string,
  fs: FaultyFs,
  lossy: LossyFs,
  { ending, afterBytes, transactions }: Case,
): Promise<Outcome> {
  let outcome: Outcome = { known: new Map(), refused: [] }
  const store = await openStore({ dir: join(place, 'store'), fs, checkpointAfterBytes: afterBytes }).catch(injected)
  for (let n = 0; store && n < transactions; n++) {
    const next = changed(outcome.known, n)
    outcome = await change(store, n).then(
      () => ({ known: next, refused: [] }),
      (thrown: unknown) => injected(thrown) ?? { known: outcome.known, refused: [...outcome.refused, next] },
    )
    await fs.quiet()
  }
  if (ending === 'closed') await store?.close().catch(injected)
  lossy.powerOff()
  await store?.close().catch(() => undefined)
  return outcome
}

const day = (n: number): string => `2026-01-0${1 + (n >> 1)}T00:00:00.000Z`

/** Inserts a document, moves one, removes one, and appends to a journal. */
const change = (store: Store, n: number): Promise<void> =>
  store.transact(async (tx) => {
    await tx.insert(things, { id: `t${n}`, owner: `o${n % 3}`, n })
    const before = await tx.get(things, `t${n - 1}`)
    if (before) await tx.replace(things, { ...before, owner: 'moved', n })
    await tx.remove(things, `t${n - 2}`)
    await tx.append(told, `group ${n % 2}`, (position) => ({ n, at: day(n), text: `${position}` }))
  })

/** The same changes for the model. */
function changed(known: State, n: number): State {
  const next = new Map(known).set(`t${n}`, n)
  if (known.has(`t${n - 1}`)) next.set(`t${n - 1}`, n)
  next.delete(`t${n - 2}`)
  const position = [...next.keys()].filter((key) => key.startsWith(`group ${n % 2}/`)).length + 1
  next.set(`group ${n % 2}/${position}`, n)
  return next
}

function injected(thrown: unknown): undefined {
  const text = String((thrown as Error).message)
  assert.ok(text.startsWith('injected') || text === 'the power is off', text)
}

/**
 * Runs a store, ends it, restarts it and checks the acknowledged transactions. Returns the number of calls in the first
 * run.
 */
async function survives(one: Case): Promise<number> {
  const place = temporaryDir()
  const lossy = new LossyFs(place.dir)
  const fs = new FaultyFs(lossy, one.how)
  fs.failsAt = one.fails
  try {
    const { known, refused } = await live(place.dir, fs, lossy, one)
    lossy.crash((max) => (one.ending === 'lost' ? 0 : max === 3 ? 0 : max))
    const store = await openStore({ dir: join(place.dir, 'store'), fs: lossy.afterCrash() })
    const found = new Map((await store.all(things)).map(({ id, n }) => [id, n]))
    for (const group of ['group 0', 'group 1']) {
      for (const { position, record } of (await store.read(told, group, { direction: 'asc', limit: 100 })).records)
        found.set(`${group}/${position}`, record.n)
    }
    await store.close()
    const text = (state: State): string => JSON.stringify([...state].sort())
    const allowed = [known, ...(fs.failed.some((call) => call.startsWith('truncate')) ? refused : [])]
    assert.ok(allowed.map(text).includes(text(found)), `${text(found)} is there, ${text(known)} was acknowledged`)
  } catch (thrown) {
    throw new Error(`${one.how}, ${one.ending}, ${fs.failed.join(', ')}: ${(thrown as Error).message}`, {
      cause: thrown,
    })
  } finally {
    place.remove()
  }
  return fs.calls
}

const ENDINGS = ['closed', 'lost', 'kept'] as const
/** Checkpoints after some transactions, and after each. */
const RARE = { afterBytes: 700, transactions: 4 }
const EVERY_TIME = { afterBytes: 1, transactions: 2 }
/** The test run lets each call fail with one of the endings. A soak lets it fail with each. */
const STEP = size(ENDINGS.length, 1)
/** Each test plays hundreds of runs. */
const SLOW = { timeoutMs: 300_000 }

for (const how of ['before', 'half', 'after'] as const) {
  for (const [at, ending] of ENDINGS.entries()) {
    test(
      `each call fails once (${how}), ${ending}: acknowledged data stay and the store starts`,
      async () => {
        for (const pace of ending === 'lost' && how === 'before' ? [RARE, EVERY_TIME] : [RARE]) {
          const calls = await survives({ how, ending, ...pace, fails: () => false })
          assert.ok(calls > 40, `${calls} calls`)
          for (let k = at % STEP; k < calls; k += STEP)
            await survives({ how, ending, ...pace, fails: (call) => call === k })
        }
      },
      SLOW,
    )
  }
}

test(
  'several consecutive failures at any call lose no acknowledged data',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          how: fc.constantFrom<Failing>('before', 'half', 'after'),
          ending: fc.constantFrom<Ending>('closed', 'lost', 'kept'),
          afterBytes: fc.constantFrom(1, 300, 500),
          transactions: fc.constant(5),
        }),
        fc.nat(150),
        fc.integer({ min: 2, max: 12 }),
        fc.nat(150),
        async (one, from, length, another) =>
          void (await survives({
            ...one,
            fails: (call) => (call >= from && call < from + length) || call === another,
          })),
      ),
      { numRuns: runs(12, 1_000) },
    ),
  SLOW,
)

test.run()
