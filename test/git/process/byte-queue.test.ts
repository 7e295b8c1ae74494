import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { ByteQueue } from '../../../src/git/process/byte-queue.js'
import { suite } from '../../support/suite.js'

const test = suite('what a Git process has said')

test('an output of a million bytes in pieces of fifty is copied a few times, not with each of them', () => {
  const heard = new ByteQueue()
  const stores = new Set<ArrayBufferLike>()
  for (let n = 0; n < 20_000; n++) {
    // A reader that looks for an end always wants one byte more.
    heard.add(Buffer.alloc(50, n), heard.length + 1)
    stores.add(heard.bytes.buffer)
  }
  assert.is(heard.length, 1_000_000)
  assert.ok(stores.size <= 20, `${stores.size} copies`)
  for (const n of [0, 7, 19_999]) assert.equal(heard.bytes.subarray(n * 50, n * 50 + 50), Buffer.alloc(50, n))
})

test('what is taken is what was put in, and what was taken does not change', () => {
  const step = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 40 }),
    fc.nat(60).map((count) => ({ count })),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat(100), (steps, need) => {
      const heard = new ByteQueue()
      let waiting: number[] = []
      const taken: { bytes: Buffer; copy: number[] }[] = []
      for (const one of steps) {
        if ('count' in one) {
          const count = Math.min(one.count, heard.length)
          taken.push({ bytes: heard.bytes.subarray(0, count), copy: waiting.slice(0, count) })
          heard.drop(count)
          waiting = waiting.slice(count)
        } else {
          heard.add(Buffer.from(one), need)
          waiting.push(...one)
        }
        assert.equal([...heard.bytes], waiting)
      }
      for (const { bytes, copy } of taken) assert.equal([...bytes], copy)
    }),
  )
})

test.run()
