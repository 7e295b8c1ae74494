/** Finds the common items of two lists, in order. */

/**
 * Returns pairs [index in `before`, index in `after`] of equal items, both ascending: a longest common subsequence, or
 * an approximation if that is too costly.
 */
export function align(before: readonly string[], after: readonly string[]): [number, number][] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let [b, a] = [before.length, after.length]
  while (b > start && a > start && before[b - 1] === after[a - 1]) {
    b--
    a--
  }
  const pairs: [number, number][] = []
  for (let i = 0; i < start; i++) pairs.push([i, i])
  for (const [i, j] of middle(before.slice(start, b), after.slice(start, a))) pairs.push([i + start, j + start])
  for (let i = b, j = a; i < before.length; i++, j++) pairs.push([i, j])
  return pairs
}

/** Maximum number of table cells for the exact comparison. */
const MAX_CELLS = 4_000_000

function middle(before: readonly string[], after: readonly string[]): [number, number][] {
  if (before.length === 0 || after.length === 0) return []
  return before.length * after.length > MAX_CELLS ? byUnique(before, after) : longest(before, after)
}

function longest(before: readonly string[], after: readonly string[]): [number, number][] {
  const width = after.length + 1
  const table = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      table[i * width + j] =
        before[i] === after[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!)
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) pairs.push([i++, j++])
    else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!) i++
    else j++
  }
  return pairs
}

/** Pairs items of very long lists that occur once in each list and are in the same order. */
function byUnique(before: readonly string[], after: readonly string[]): [number, number][] {
  const [own, other] = [onceIn(before), onceIn(after)]
  const pairs = [...own].flatMap(([item, i]): [number, number][] => {
    const j = other.get(item) ?? -1
    return i >= 0 && j >= 0 ? [[i, j]] : []
  })
  const kept: [number, number][] = []
  let last = -1
  for (const [i, j] of pairs.sort((a, b) => a[0] - b[0]))
    if (j > last) {
      kept.push([i, j])
      last = j
    }
  return kept
}

/** Returns the index of each item that occurs once in a list; -1 for the other items. */
function onceIn(list: readonly string[]): Map<string, number> {
  const found = new Map<string, number>()
  for (const [index, item] of list.entries()) found.set(item, found.has(item) ? -1 : index)
  return found
}
