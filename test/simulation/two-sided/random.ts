/** A whole number below a bound. */
export type Random = (below: number) => number

/** mulberry32: a seed gives the same numbers each time. */
export function random(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
  }
}

/** The numbers of one step do not depend on earlier steps, so that steps can be left out of a story. */
export const randomOfStep = (seed: number, step: number): Random =>
  random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b))

export const pick = <T>(next: Random, from: readonly T[]): T | null =>
  from.length === 0 ? null : (from[next(from.length)] as T)

/** A weighted random choice. */
export function pickWeighted<T>(next: Random, from: readonly (readonly [number, T])[]): T {
  let left = next(from.reduce((sum, [weight]) => sum + weight, 0))
  for (const [weight, one] of from) if ((left -= weight) < 0) return one
  throw new Error('nothing to choose from')
}
