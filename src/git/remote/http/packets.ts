/** The packets of Git's protocol (gitprotocol-common): lines with a length prefix, and marks between parts. */
import { LeftToGit } from './left-to-git.js'

/** A pkt-line: data, or a special packet. */
export type Packet = Buffer | 'flush' | 'delimiter' | 'response-end'

const LENGTH_BYTES = 4
const MARKS: readonly (readonly [number, Packet])[] = [
  [0, 'flush'],
  [1, 'delimiter'],
  [2, 'response-end'],
]

export const FLUSH = Buffer.from('0000')
export const DELIMITER = Buffer.from('0001')

/** Returns a packet with a line of text. */
export const packet = (line: string): Buffer => {
  const text = Buffer.from(`${line}\n`)
  return Buffer.concat([Buffer.from((text.length + LENGTH_BYTES).toString(16).padStart(LENGTH_BYTES, '0')), text])
}

/** Returns the text of a line without its line feed. */
export const textOf = (line: Packet): string =>
  typeof line === 'string' ? '' : line.toString('utf8').replace(/\n$/, '')

/** Reads packets until the bytes end. Throws `LeftToGit` if they end within a packet, or are not packets. */
export async function* packets(bytes: AsyncIterable<Buffer>): AsyncGenerator<Packet, void> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of bytes) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    let at = 0
    while (rest.length - at >= LENGTH_BYTES) {
      const digits = rest.toString('latin1', at, at + LENGTH_BYTES)
      if (!/^[0-9a-f]{4}$/i.test(digits)) throw new LeftToGit('the response does not consist of packets')
      const length = Number.parseInt(digits, 16)
      const mark = MARKS.find(([value]) => value === length)?.[1]
      if (mark === undefined && length < LENGTH_BYTES) throw new LeftToGit('a packet has an invalid length')
      if (mark === undefined && rest.length - at < length) break
      yield mark ?? rest.subarray(at + LENGTH_BYTES, at + length)
      at += mark === undefined ? length : LENGTH_BYTES
    }
    rest = rest.subarray(at)
  }
  if (rest.length > 0) throw new LeftToGit('the response ends within a packet')
}
