import { AsyncLocalStorage } from 'node:async_hooks'
import * as assert from 'uvu/assert'
import { backOff } from '../../src/kernel/back-off.js'
import { Passes } from '../../src/kernel/passes.js'
import { suite } from '../support/suite.js'

const test = suite('kernel: passes')

/** Passes that the test ends one by one. */
function controlled(next: () => number | null = () => null) {
  const ends: { over(): void; fail(error: Error): void }[] = []
  const errors: unknown[] = []
  let begun = 0
  const passes = new Passes({
    pass: () => {
      begun++
      return new Promise((over, fail) => ends.push({ over: () => over(next()), fail }))
    },
    failed: (error) => errors.push(error),
    restMs: 10,
  })
  const until = async (count: number): Promise<void> => {
    while (begun < count || ends.length === 0) await new Promise((done) => setTimeout(done, 1))
  }
  return {
    passes,
    errors,
    until,
    begun: () => begun,
    end: () => ends.shift()?.over(),
    fail: (e: Error) => ends.shift()?.fail(e),
  }
}

test('calls during a pass cause one more pass, after it', async () => {
  const { passes, begun, until, end } = controlled()
  passes.wake()
  await until(1)
  for (let i = 0; i < 5; i++) passes.wake()
  assert.is(begun(), 1)
  end()
  await until(2)
  end()
  await passes.idle()
  assert.is(begun(), 2)
  assert.not(passes.isBusy)
})

test('a failed pass is reported and repeated', async () => {
  const { passes, errors, begun, until, fail, end } = controlled()
  passes.wake()
  await until(1)
  fail(new Error('away'))
  await until(2)
  end()
  await passes.idle()
  assert.equal(errors.map(String), ['Error: away'])
  assert.is(begun(), 2)
})

test('the earliest timer wins, and a pass replaces it', async () => {
  const { passes, begun, until, end } = controlled(() => 60_000)
  passes.wakeIn(60_000)
  passes.wakeIn(1)
  passes.wakeIn(30_000)
  await until(1)
  end()
  await passes.idle()
  passes.wakeIn(1)
  await until(2)
  end()
  await passes.stop()
  assert.is(begun(), 2)
})

test('a stop waits for the running pass, and no other follows', async () => {
  const { passes, begun, until, end } = controlled(() => 1)
  passes.wake()
  await until(1)
  passes.wake()
  const stopped = passes.stop()
  passes.wake()
  end()
  await stopped
  await new Promise((done) => setTimeout(done, 30))
  assert.is(begun(), 1)
  assert.not(passes.isBusy)
})

test('a pass does not run in the context of the caller that woke it', async () => {
  const transaction = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const passes = new Passes({
    pass: async () => {
      seen.push(transaction.getStore())
      return null
    },
    failed: () => {},
    restMs: 1,
  })
  transaction.run('open', () => passes.wake())
  await passes.idle()
  transaction.run('open', () => passes.wakeIn(1))
  while (seen.length < 2) await new Promise((done) => setTimeout(done, 1))
  assert.equal(seen, [undefined, undefined])
})

test('a back-off grows with each failure up to its limit', () => {
  const retry = { firstMs: 10, maxMs: 1_000 }
  assert.equal(
    [1, 2, 3, 8, 5_000].map((failures) => backOff(failures, retry)),
    [10, 20, 40, 1_000, 1_000],
  )
  assert.equal(
    [1, 2, 3].map((failures) => backOff(failures, { ...retry, factor: 4 })),
    [10, 40, 160],
  )
})

test.run()
