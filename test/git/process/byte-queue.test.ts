import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { ByteQueue } from '../../../src/git/process/byte-queue.js'
import { suite } from '../../support/suite.js'

const test = suite('output of a Git process')

test('a large output in small chunks is copied a few times, not once per chunk', () => {
  const heard = new ByteQueue()
  const stores = new Set<ArrayBufferLike>()
  for (let n = 0; n < 20_000; n++) {
    // A reader that searches for an end always needs one more byte.
    heard.add(Buffer.alloc(50, n), heard.length + 1)
    stores.add(heard.bytes.buffer)
  }
  assert.is(heard.length, 1_000_000)
  assert.ok(stores.size <= 20, `${stores.size} copies`)
  for (const n of [0, 7, 19_999]) assert.equal(heard.bytes.subarray(n * 50, n * 50 + 50), Buffer.alloc(50, n))
})

test('the queue returns the bytes that were added, and returned bytes do not change', () => {
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
