import { PassThrough } from 'node:stream'
import * as assert from 'uvu/assert'
import { paced } from '../../../src/api/pipeline/incoming.js'
import { StreamPace } from '../../../src/api/pipeline/response-hold.js'
import { suite } from '../../support/suite.js'

const test = suite('pace of clients')

const QUICK = { graceMs: 1, bytesPerSecond: 1024 * 1024 }
const PATIENT = { graceMs: 60_000, bytesPerSecond: 1 }

async function outcome(
  pieces: AsyncIterable<Buffer>,
  each: (piece: Buffer) => void | Promise<void> = () => {},
): Promise<string> {
  let text = ''
  try {
    for await (const piece of pieces) {
      text += piece.toString()
      await each(piece)
    }
    return text
  } catch (error) {
    return `${text}: ${(error as { code: string }).code}`
  }
}

test('a stalled body ends with 408, and a truncated one with 400', async () => {
  const body = new PassThrough()
  body.write('first')
  assert.is(await outcome(paced(body, QUICK)), 'first: request-timeout')
  const other = new PassThrough()
  other.write('first')
  assert.is(await outcome(paced(other, PATIENT), () => void other.destroy()), 'first: bad-request')
})

test('a slow handler receives the whole body, and its own time is not counted', async () => {
  const body = new PassThrough({ highWaterMark: 1 })
  const sent = Array.from({ length: 20 }, (_, n) => `${n} `)
  for (const piece of sent) body.write(piece)
  body.end()
  let most = 0
  const text = await outcome(paced(body, { graceMs: 40, bytesPerSecond: 1024 * 1024 }), async () => {
    most = Math.max(most, body.readableFlowing ? 1 : 0)
    await new Promise((done) => setTimeout(done, 5))
  })
  assert.is(text, sent.join(''))
  assert.is(most, 0, 'the body is paused while it is read')
})

test('a client must read 16 KiB per second of a stream, in each minute of waiting', () => {
  const KIB = 1024
  const run = (perLook: number, looks: number, waits = true): boolean => {
    const pace = new StreamPace()
    for (let n = 1; n <= looks; n++) if (!pace.isKept(5000, waits, n * perLook)) return false
    return true
  }
  assert.is(run(0, 11), true, 'the first minute')
  assert.is(run(0, 12), false)
  assert.is(run(79 * KIB, 12), false)
  assert.is(run(80 * KIB, 200), true)
  assert.is(run(0, 200, false), true, 'it takes all that there is')
  const pace = new StreamPace()
  for (let n = 0; n < 12; n++) assert.is(pace.isKept(5000, true, 1024 ** 3), true)
  for (let n = 0; n < 11; n++) assert.is(pace.isKept(5000, true, 1024 ** 3), true)
  assert.is(pace.isKept(5000, true, 1024 ** 3), false, 'what was taken in an earlier minute does not count')
})

test.run()
