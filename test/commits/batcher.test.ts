import { setImmediate as tick } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { Batcher, type Turn, type BatchItem } from '../../src/domain/context/batcher.js'
import { KeyedMutex } from '../../src/kernel/keyed-mutex.js'
import { suite } from '../support/suite.js'

const test = suite('commits: batches of edits')

async function allOf<T>(turn: Turn<T>): Promise<T[]> {
  const items: T[] = []
  for (let item = await turn.next(); item !== null; item = await turn.next()) items.push(item)
  return items
}

/** The work of an item that is never rejected in these tests. */
const reject = (error: unknown): never => assert.unreachable(String(error)) as never

/**
 * Clients that add an item, wait until it is handled, and repeat that `rounds` times. Returns the sizes of the
 * batches.
 */
async function served(batcher: Batcher, clients: number, rounds: number): Promise<number[]> {
  const sizes: number[] = []
  const client = async (): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      await new Promise<void>((handled) =>
        batcher.add('space', { handled, reject }, async (turn) => {
          const items = await allOf(turn)
          sizes.push(items.length)
          await tick()
          for (const done of items) done.handled()
        }),
      )
      await tick()
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return sizes
}

test('clients that return immediately join the batch that waits for them', async () => {
  const sizes = await served(new Batcher(new KeyedMutex(), 64), 8, 20)
  assert.is(
    sizes.reduce((sum, size) => sum + size, 0),
    160,
  )
  // On a busy machine, a client may miss a batch.
  assert.ok(sizes.length <= 160 / 6, sizes.join())
})

test('a batch respects its maximum size, and a single client does not wait', async () => {
  assert.ok((await served(new Batcher(new KeyedMutex(), 3), 8, 10)).every((size) => size <= 3))
  assert.equal(await served(new Batcher(new KeyedMutex(), 64), 1, 5), [1, 1, 1, 1, 1])
})

test('a batch waits only briefly for a client that does not return', async () => {
  const batcher = new Batcher(new KeyedMutex(), 64)
  assert.is(
    (await served(batcher, 5, 1)).reduce((sum, size) => sum + size, 0),
    5,
  )
  assert.equal(await served(batcher, 1, 2), [1, 1])
})

test('items that arrive during the work join it, and later ones get another turn', async () => {
  const locks = new KeyedMutex()
  const batcher = new Batcher(locks, 3)
  const come: Record<string, string[]> = { first: ['second'], second: ['third', 'one too many'] }
  const turns: string[][] = []
  const add = (name: string): void => batcher.add('space', { name, reject }, work)
  const work = async (turn: Turn<BatchItem & { name: string }>): Promise<void> => {
    const items: string[] = []
    turns.push(items)
    for (let item = await turn.next(); item !== null; item = await turn.next()) {
      items.push(item.name)
      come[item.name]?.forEach(add)
    }
    if (turns.length === 1) add('after')
  }
  add('first')
  await locks.idle()
  assert.equal(turns, [
    ['first', 'second', 'third'],
    ['one too many', 'after'],
  ])
})

test('all waiting clients get the error of a failed turn, and the next turn is independent', async () => {
  const failed = new Error('the database is away')
  let fails = true
  const locks = new KeyedMutex()
  const batcher = new Batcher(
    { run: (key, work) => (fails ? Promise.reject(failed) : locks.run(key, work)), idle: () => locks.idle() },
    64,
  )
  const outcome = (work: (turn: Turn<BatchItem & { done(): void }>) => Promise<void>): Promise<unknown> =>
    new Promise((told) => batcher.add('space', { done: () => told('done'), reject: told }, work))
  const handle = async (turn: Turn<BatchItem & { done(): void }>): Promise<void> => {
    for (const item of await allOf(turn)) item.done()
  }
  assert.equal(await Promise.all([outcome(handle), outcome(handle)]), [failed, failed])
  fails = false
  assert.is(
    await outcome(async (turn) => {
      await turn.next()
      throw failed
    }),
    failed,
  )
  assert.is(await outcome(handle), 'done')
})

test.run()
