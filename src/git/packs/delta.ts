/** Rebuilds an object of a pack from its base and a delta (gitformat-pack(5)). */
import { Unsure } from './unsure.js'

/** The two sizes at the start of a delta, and the offset of its instructions. */
interface DeltaHead {
  baseSize: number
  /** Size of the resulting object in bytes. */
  size: number
  at: number
}

function readSize(delta: Buffer, from: number): { size: number; at: number } {
  let size = 0
  let at = from
  for (let factor = 1; ; factor *= 128) {
    const byte = delta[at++]
    if (byte === undefined || factor > 2 ** 42) throw new Unsure('a delta ends within its header')
    size += (byte & 0x7f) * factor
    if (byte < 0x80) return { size, at }
  }
}

/** Reads the head of a delta. Throws `Unsure`. */
export function readDeltaHead(delta: Buffer): DeltaHead {
  const base = readSize(delta, 0)
  const { size, at } = readSize(delta, base.at)
  return { baseSize: base.size, size, at }
}

/** Applies a delta. Throws `Unsure` if it does not fit its base, or its result does not have the stated size. */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer {
  const head = readDeltaHead(delta)
  if (head.baseSize !== base.length || head.size > maxBytes) throw new Unsure('a delta does not match its base')
  // Not from the shared pool, because a cache may keep it.
  const result = Buffer.allocUnsafeSlow(head.size)
  let filled = 0
  for (let at = head.at; at < delta.length; ) {
    const instruction = delta[at++] as number
    const from = instruction & 0x80 ? base : delta
    let start = at
    let length = instruction
    if (from === base) {
      start = 0
      length = 0
      for (let bit = 0; bit < 4; bit++) if (instruction & (1 << bit)) start += (delta[at++] ?? 0) * 2 ** (8 * bit)
      for (let bit = 0; bit < 3; bit++) if (instruction & (0x10 << bit)) length += (delta[at++] ?? 0) * 2 ** (8 * bit)
      length ||= 0x10000
    } else at += length
    // The instruction 0 is reserved.
    if (instruction === 0 || start + length > from.length || filled + length > head.size)
      throw new Unsure('a delta is damaged')
    from.copy(result, filled, start, start + length)
    filled += length
  }
  if (filled !== head.size) throw new Unsure('a delta is truncated')
  return result
}
