import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { encodeFrame, scanFrame } from '../../src/store/frame.js'
import { suite } from '../support/suite.js'

const test = suite('log frames')
const payload = fc.json()

/** The result of reading: the payloads before the first invalid frame, and the kind of that frame. */
function read(bytes: Buffer): { payloads: string[]; ends: string } {
  const payloads: string[] = []
  for (let offset = 0; ; ) {
    const found = scanFrame(bytes, offset)
    if (found.kind !== 'frame') return { payloads, ends: found.kind }
    payloads.push(found.payload)
    offset = found.next
  }
}

test('written frames are read back unchanged', () => {
  fc.assert(
    fc.property(fc.array(payload), (payloads) => {
      assert.equal(read(Buffer.concat(payloads.map(encodeFrame))), { payloads, ends: 'end' })
    }),
  )
})

test('a cut inside the last frame is reported as torn, and the others stay', () => {
  fc.assert(
    fc.property(fc.array(payload), payload, fc.nat(), (before, last, at) => {
      const torn = encodeFrame(last)
      const bytes = Buffer.concat([...before.map(encodeFrame), torn.subarray(0, 1 + (at % (torn.length - 1)))])
      assert.equal(read(bytes), { payloads: before, ends: 'torn' })
    }),
  )
})

test('blocks of zeros in the last frame are reported as torn', () => {
  fc.assert(
    fc.property(payload, payload, fc.nat(), fc.nat(), (first, last, from, length) => {
      const frame = encodeFrame(last)
      const start = from % frame.length
      frame.fill(0, start, start + 1 + (length % (frame.length - start)))
      assert.equal(read(Buffer.concat([encodeFrame(first), frame])), { payloads: [first], ends: 'torn' })
    }),
  )
})

test('a flipped bit is corrected wherever it is, and its position is reported', () => {
  fc.assert(
    fc.property(fc.array(payload), payload, fc.array(payload), fc.nat(), fc.nat(7), (before, hit, after, at, bit) => {
      const frames = [...before, hit, ...after].map(encodeFrame)
      const bytes = Buffer.concat(frames)
      const start = Buffer.concat(frames.slice(0, before.length)).length
      const position = start + (at % frames[before.length]!.length)
      bytes[position]! ^= 1 << bit
      assert.equal(read(bytes), { payloads: [...before, hit, ...after], ends: 'end' })
      const found = scanFrame(bytes, start)
      assert.is(found.kind === 'frame' && found.flipped, position)
    }),
  )
})

test('two flipped bits before the last frame are damage, never a wrong record', () => {
  fc.assert(
    fc.property(fc.array(payload, { minLength: 1 }), payload, fc.nat(), fc.nat(7), (before, last, at, bit) => {
      const frame = encodeFrame(before.at(-1)!)
      // Both in one frame: each frame has its own checksum.
      frame[at % frame.length]! ^= 1 << bit
      frame[(at + 1) % frame.length]! ^= 1 << bit
      const damaged = Buffer.concat([...before.slice(0, -1).map(encodeFrame), frame, encodeFrame(last)])
      const { payloads, ends } = read(damaged)
      assert.is(ends, 'damaged')
      assert.equal(payloads, before.slice(0, -1))
    }),
  )
})

test.run()
