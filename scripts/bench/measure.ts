import { performance } from 'node:perf_hooks'

/** One line of the benchmark: a measurement against a baseline of the same run. */
export interface Line {
  name: string
  /** `least`: the ratio must be at least `target` (a rate); `most`: at most (a time); `none`: reported only. */
  sense: 'least' | 'most' | 'none'
  target: number
  /** One ratio per round: the measurement against the adjacent baseline. Empty if there is no baseline. */
  ratios: number[]
  /** The medians of both sides, in words. */
  detail: string
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** Returns the duration of `work` in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/**
 * Runs all sides one after the other, `rounds` times, and returns their values. Each round starts with another side.
 */
export async function interleaved<K extends string>(
  rounds: number,
  sides: Record<K, (round: number) => Promise<number>>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(sides) as K[]
  const found = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length] as K
      found[name].push(await sides[name](round))
    }
  }
  return found
}

export const ratiosOf = (ours: readonly number[], baseline: readonly number[]): number[] =>
  ours.map((value, i) => value / (baseline[i] as number))

/** Formats milliseconds for readers. */
export const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`

/** Prints a line: the median ratio, its spread over the rounds, the target and the medians. */
export function print({ name, sense, target, ratios, detail }: Line): void {
  if (ratios.length === 0) {
    console.log(`   ${name}: ${detail}`)
    return
  }
  const ratio = median(ratios)
  const held = sense === 'none' ? '  ' : (sense === 'least' ? ratio >= target : ratio <= target) ? 'ok' : '!!'
  const wanted = sense === 'none' ? '' : ` (${sense === 'least' ? '≥' : '≤'} ${target})`
  const spread = ratios.length > 1 ? ` [${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)}]` : ''
  console.log(`${held} ${name}: ${ratio.toFixed(2)}${wanted}${spread}; ${detail}`)
}
