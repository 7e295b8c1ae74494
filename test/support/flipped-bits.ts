import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'

/** Positions in a file whose bits are flipped one by one. A seed gives the same positions each time. */
export function positionsIn(file: string, count: number, seed: number): { byte: number; bit: number }[] {
  const size = readFileSync(file).length
  let state = seed >>> 0
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return Array.from({ length: count }, () => ({ byte: next(size), bit: next(8) }))
}

/** Flips one bit of a file in place, as a bad disk does. */
export function flip(file: string, { byte, bit }: { byte: number; bit: number }): void {
  const handle = openSync(file, 'r+')
  const one = Buffer.alloc(1)
  readSync(handle, one, 0, 1, byte)
  one[0] = (one[0] as number) ^ (1 << bit)
  writeSync(handle, one, 0, 1, byte)
  closeSync(handle)
}
