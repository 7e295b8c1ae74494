/**
 * The members of `now` that are in `was` too and kept their order: a longest increasing subsequence of their old indexes. The
 * other common members were moved.
 */
export function keptOrder(was: readonly string[], now: readonly string[]): Set<string> {
  const places = new Map(was.map((id, place) => [id, place]))
  const common = now.filter((id) => places.has(id))
  const tails: number[] = []
  const before: number[] = []
  const placeAt = (i: number): number => places.get(common[i]!)!
  for (let i = 0; i < common.length; i++) {
    let [low, high] = [0, tails.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (placeAt(tails[middle]!) < placeAt(i)) low = middle + 1
      else high = middle
    }
    before[i] = low > 0 ? tails[low - 1]! : -1
    tails[low] = i
  }
  const kept = new Set<string>()
  for (let i = tails.at(-1) ?? -1; i >= 0; i = before[i]!) kept.add(common[i]!)
  return kept
}
