/** Pairs the blocks of two lists: equal ones by their digest, changed ones by their common words. */
import { diffArrays } from 'diff'
import { required } from '../../kernel/defined.js'
import { sameKind, similarity, type Unit } from './digest.js'

/** A block of one list or of both. */
export interface Pair {
  before?: Unit
  after?: Unit
}

/**
 * Minimum share of common words in two versions of one block. With less, one block counts as removed and the other as
 * added.
 */
const MIN_SHARE = 0.3
/** Maximum number of pairs that are tried between two equal blocks. Beyond that, blocks are paired by their order. */
const MAX_TRIED = 10_000
/** Maximum number of differences between two lists. Beyond that, everything counts as changed. */
const MAX_DIFFERENCES = 4_000

/** The method that pairs unequal blocks: by similarity, or (cells and rows of tables) by position. */
export type Pairing = 'similar' | 'place'

/** Pairs two lists. The pairs are in the order of both lists. Of unpaired blocks, removed ones precede added ones. */
export function pairUnits(before: readonly Unit[], after: readonly Unit[], pairing: Pairing = 'similar'): Pair[] {
  const parts = diffArrays(
    before.map(({ digest }) => digest),
    after.map(({ digest }) => digest),
    { maxEditLength: MAX_DIFFERENCES },
  ) ?? [
    { count: before.length, removed: true, added: false },
    { count: after.length, removed: false, added: true },
  ]
  const pairs: Pair[] = []
  let [old, now] = [0, 0]
  let gap: { before: Unit[]; after: Unit[] } = { before: [], after: [] }
  const close = (): void => {
    pairs.push(...pairGap(gap.before, gap.after, pairing))
    gap = { before: [], after: [] }
  }
  for (const { count = 0, removed, added } of parts) {
    if (removed) gap.before.push(...before.slice(old, (old += count)))
    else if (added) gap.after.push(...after.slice(now, (now += count)))
    else {
      close()
      for (let at = 0; at < count; at++) pairs.push({ before: required(before[old++]), after: required(after[now++]) })
    }
  }
  close()
  return pairs
}

/** Pairs the blocks between two equal ones. */
function pairGap(before: readonly Unit[], after: readonly Unit[], pairing: Pairing): Pair[] {
  if (before.length === 0 || after.length === 0)
    return [...before.map((one) => ({ before: one })), ...after.map((one) => ({ after: one }))]
  const isByPlace = pairing === 'place' && before.length === after.length
  const chosen = isByPlace ? before.map((_, at) => [at, at] as const) : mostSimilar(before, after)
  const pairs: Pair[] = []
  let [old, now] = [0, 0]
  const upTo = (left: number, right: number): void => {
    while (old < left) pairs.push({ before: required(before[old++]) })
    while (now < right) pairs.push({ after: required(after[now++]) })
  }
  for (const [left, right] of chosen) {
    upTo(left, right)
    pairs.push({ before: required(before[old++]), after: required(after[now++]) })
  }
  upTo(before.length, after.length)
  return pairs
}

/** Returns the pairs, in order, with the largest sum of similarities. */
function mostSimilar(before: readonly Unit[], after: readonly Unit[]): [number, number][] {
  const [rows, columns] = [before.length, after.length]
  if (rows * columns > MAX_TRIED) return inOrder(before, after)
  const width = columns + 1
  const best = new Float64Array((rows + 1) * width)
  const share = (left: number, right: number): number => {
    const [a, b] = [required(before[left]), required(after[right])]
    const found = sameKind(a.node, b.node) ? similarity(a, b) : 0
    return found >= MIN_SHARE ? found : 0
  }
  const shares = new Float64Array(rows * columns)
  for (let left = rows - 1; left >= 0; left--)
    for (let right = columns - 1; right >= 0; right--) {
      const found = share(left, right)
      shares[left * columns + right] = found
      const taken = found > 0 ? found + (best[(left + 1) * width + right + 1] ?? 0) : 0
      best[left * width + right] = Math.max(
        taken,
        best[(left + 1) * width + right] ?? 0,
        best[left * width + right + 1] ?? 0,
      )
    }
  const chosen: [number, number][] = []
  for (let left = 0, right = 0; left < rows && right < columns; ) {
    const here = best[left * width + right] ?? 0
    const found = shares[left * columns + right] ?? 0
    if (found > 0 && here === found + (best[(left + 1) * width + right + 1] ?? 0)) chosen.push([left++, right++])
    else if (here === best[(left + 1) * width + right]) left++
    else right++
  }
  return chosen
}

/** Pairs long lists by position, where the blocks are similar. */
function inOrder(before: readonly Unit[], after: readonly Unit[]): [number, number][] {
  const chosen: [number, number][] = []
  for (let at = 0; at < Math.min(before.length, after.length); at++) {
    const [a, b] = [required(before[at]), required(after[at])]
    if (sameKind(a.node, b.node) && similarity(a, b) >= MIN_SHARE) chosen.push([at, at])
  }
  return chosen
}
