import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { DELIMITER, FLUSH, type Packet, PktReader, pktLine, sideBand } from '../../src/git/pkt-line.js'
import { suite } from '../support/suite.js'

const test = suite('pkt-lines')

const RESPONSE_END = Buffer.from('0002')
const MAX_LINE_BYTES = 65_520
const encoded = (packet: Packet): Buffer =>
  typeof packet !== 'string'
    ? pktLine(packet)
    : packet === 'flush'
      ? FLUSH
      : packet === 'delimiter'
        ? DELIMITER
        : RESPONSE_END

/** Yields bytes in pieces that end at the given positions. */
async function* cut(bytes: Buffer, positions: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0
  for (const to of [...positions.map((one) => one % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    yield bytes.subarray(from, to)
    from = to
  }
}

const noLimit = null
const limitOf = (bytes: number) => ({ bytes, exceeded: () => new Error('too long') })

async function readAll(reader: PktReader): Promise<Packet[]> {
  const all: Packet[] = []
  for (let one = await reader.packet(); one !== null; one = await reader.packet()) all.push(one)
  return all
}

/** Reads hostile bytes, in one piece and byte by byte. Returns the message of the error, or the packets. */
async function outcomes(
  bytes: Buffer,
  limit: ReturnType<typeof limitOf> | null = noLimit,
): Promise<(string | Packet[])[]> {
  const everyByte = Array.from({ length: bytes.length }, (_, at) => at)
  return Promise.all(
    [[], everyByte].map((positions) =>
      readAll(new PktReader(cut(bytes, positions), limit)).catch((error: Error) => error.message),
    ),
  )
}

const packet: fc.Arbitrary<Packet> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom<Packet>('flush', 'delimiter', 'response-end'),
)

test('packets are read as they were written, in any pieces, and the bytes after them stay', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(packet, { maxLength: 20 }),
      fc.uint8Array({ maxLength: 50 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      async (packets, after, positions) => {
        const message = Buffer.concat(packets.map(encoded))
        const reader = new PktReader(cut(Buffer.concat([message, after]), positions), limitOf(message.length))
        for (const one of packets) assert.equal(await reader.packet(), one)
        const rest: Uint8Array[] = []
        for await (const piece of reader.rest()) rest.push(piece)
        assert.equal(Buffer.concat(rest), Buffer.from(after))
      },
    ),
  )
})

test('the frames of a side band contain all bytes, and none is too long', async () => {
  for (const length of [0, 1, 65_515, 65_516, 200_000]) {
    const bytes = Buffer.alloc(length, 'x')
    const frames = (await readAll(new PktReader(cut(sideBand(1, bytes), []), noLimit))) as Buffer[]
    assert.ok(frames.every((frame) => frame[0] === 1 && frame.length + 4 <= MAX_LINE_BYTES))
    assert.equal(Buffer.concat(frames.map((frame) => frame.subarray(1))), bytes)
  }
})

test('a line of the maximum length is accepted, and a longer one is rejected', async () => {
  const longest = pktLine(Buffer.alloc(MAX_LINE_BYTES - 4))
  assert.is(longest.toString('latin1', 0, 4), 'fff0')
  assert.is((await readAll(new PktReader(cut(longest, []), noLimit))).length, 1)
  assert.throws(() => pktLine(Buffer.alloc(MAX_LINE_BYTES - 3)), /too long/)
  const longer = Buffer.concat([Buffer.from('fff1'), Buffer.alloc(70_000)])
  const [message] = await outcomes(longer.subarray(0, 100))
  assert.match(String(message), /pkt-lines/)
})

test('bytes that are not packets are rejected', async () => {
  const rows: [bytes: string, message: RegExp][] = [
    ['0', /ends in the middle/],
    ['000', /ends in the middle/],
    ['0000000', /ends in the middle/],
    ['0005', /ends in the middle/],
    ['0100short', /ends in the middle/],
    ['0003', /pkt-lines/],
    ['00zz', /pkt-lines/],
    ['-0f8', /pkt-lines/],
    ['0x10', /pkt-lines/],
    [' 005a', /pkt-lines/],
    ['ffff', /pkt-lines/],
    ['HTTP/1.1 200', /pkt-lines/],
  ]
  for (const [bytes, message] of rows)
    for (const outcome of await outcomes(Buffer.from(bytes))) assert.match(String(outcome), message, bytes)
})

test('arbitrary bytes end in packets or one of the two errors, however they arrive', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'0014afz\n'), maxLength: 40 }), async (text) => {
      const [first, second] = await outcomes(Buffer.from(text))
      assert.equal(first, second)
      if (typeof first === 'string') assert.match(first, /ends in the middle|pkt-lines/)
      else assert.equal(Buffer.concat((first ?? []).map(encoded)).toString(), text.toLowerCase())
    }),
  )
})

test('a reader returns no more bytes than its limit, also without a line', async () => {
  const lines = Buffer.concat([pktLine('one'), pktLine('two'), FLUSH])
  assert.is((await outcomes(lines, limitOf(lines.length)))[0]?.constructor, Array)
  assert.equal(await outcomes(lines, limitOf(lines.length - 1)), ['too long', 'too long'])
  async function* flushes(): AsyncGenerator<Buffer> {
    for (;;) yield FLUSH
  }
  let packets = 0
  const reader = new PktReader(flushes(), limitOf(40))
  try {
    while ((await reader.packet()) !== null) packets++
  } catch (error) {
    assert.is((error as Error).message, 'too long')
  }
  assert.is(packets, 10)
})

test('a line has no line feed, and other special packets than a flush are no line', async () => {
  const reader = new PktReader(cut(Buffer.concat([pktLine('a\n'), pktLine('b\n\n'), pktLine(''), FLUSH]), []), noLimit)
  const lines = [await reader.line(), await reader.line(), await reader.line(), await reader.line()]
  assert.equal(
    lines.map((line) => line?.toString() ?? null),
    ['a', 'b\n', '', null],
  )
  assert.is(await reader.line(), null)
  for (const special of [DELIMITER, RESPONSE_END]) {
    const error = await new PktReader(cut(special, []), noLimit).line().catch((thrown: Error) => thrown)
    assert.match((error as Error).message, /instead of a line/)
  }
})

test('a closed reader ends its input', async () => {
  let ended = false
  async function* input(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield pktLine('again')
    } finally {
      ended = true
    }
  }
  const reader = new PktReader(input(), noLimit)
  await reader.packet()
  await reader.close()
  assert.ok(ended)
})

test.run()
