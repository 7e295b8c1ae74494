import { setImmediate as tick } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { Batcher } from '../../src/domain/context/batcher.js'
import { KeyedMutex } from '../../src/domain/context/keyed-mutex.js'
import { suite } from '../support/suite.js'

const test = suite('commits: the batches of edits')

/** Clients that add an item, wait until it is handled, and come back `rounds` times. Returns the sizes of the batches. */
async function served(batcher: Batcher, clients: number, rounds: number): Promise<number[]> {
  const sizes: number[] = []
  const client = async (): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      await new Promise<void>((handled) =>
        batcher.add('space', handled, async (items) => {
          sizes.push(items.length)
          await tick()
          for (const done of items) done()
        }),
      )
      await tick()
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return sizes
}

test('those who come back at once join the batch that waited for them', async () => {
  const sizes = await served(new Batcher(new KeyedMutex(), 64), 8, 20)
  assert.is(
    sizes.reduce((sum, size) => sum + size, 0),
    160,
  )
  assert.ok(sizes.filter((size) => size === 8).length > 15, sizes.join())
})

test('no batch has more items than it may have, and one client waits for nobody', async () => {
  assert.ok((await served(new Batcher(new KeyedMutex(), 3), 8, 10)).every((size) => size <= 3))
  assert.equal(await served(new Batcher(new KeyedMutex(), 64), 1, 5), [1, 1, 1, 1, 1])
})

test('who does not come back is not waited for much longer', async () => {
  const batcher = new Batcher(new KeyedMutex(), 64)
  assert.is(
    (await served(batcher, 5, 1)).reduce((sum, size) => sum + size, 0),
    5,
  )
  assert.equal(await served(batcher, 1, 2), [1, 1])
})

test.run()
