import * as assert from 'uvu/assert'
import { Turns } from '../../src/api/git-door/turns.js'
import { suite } from '../support/suite.js'

const test = suite('turns of Git processes')

/** Lets everything happen that waits for nothing but itself. */
const settled = (): Promise<void> => new Promise((done) => setImmediate(done))

test('100 callers who come at once are served 8 at a time, each of them in the end, in the order in which they came', async () => {
  const turns = new Turns()
  const order: number[] = []
  let running = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 100 }, async (_, caller) => {
      const end = await turns.take(`caller ${caller}`)
      order.push(caller)
      most = Math.max(most, ++running)
      await settled()
      running--
      end()
      end()
    }),
  )
  assert.is(most, 8)
  assert.equal(
    order,
    Array.from({ length: 100 }, (_, caller) => caller),
  )
})

test('one caller has 4 at most, and keeps nobody else from theirs', async () => {
  const turns = new Turns()
  const ends: (() => void)[] = []
  const take = (caller: string): void => void turns.take(caller).then((end) => ends.push(end))
  for (let n = 0; n < 50; n++) take('greedy')
  await settled()
  assert.is(ends.length, 4)
  for (let n = 0; n < 4; n++) take(`other ${n}`)
  await settled()
  assert.is(ends.length, 8)
  // Whoever ends makes room for one more of the same caller.
  ends.shift()?.()
  await settled()
  assert.is(ends.length, 8)
  while (ends.length > 0) {
    ends.shift()?.()
    await settled()
  }
  take('greedy')
  await settled()
  assert.is(ends.length, 1, 'nothing is left open')
  ends[0]?.()
})

test('256 wait; whoever comes then is told to come again', async () => {
  const turns = new Turns()
  const served: (() => void)[] = []
  const all = Array.from({ length: 8 + 256 }, (_, n) => turns.take(`caller ${n}`).then((end) => served.push(end)))
  let refused: { code?: string; options?: unknown } | undefined
  await turns.take('one more').catch((error) => (refused = error))
  assert.is(refused?.code, 'unavailable')
  for (let n = 0; n < all.length; n++) {
    await settled()
    served[n]?.()
  }
  await Promise.all(all)
  assert.is(served.length, 264)
})

test.run()
