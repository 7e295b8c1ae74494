/**
 * Returns the members of `now` that are also in `was` and kept their order: a longest increasing subsequence of their
 * old indexes. The other common members were moved.
 */
import { required } from '../kernel/defined.js'
export function keptOrder(was: readonly string[], now: readonly string[]): Set<string> {
  const places = new Map(was.map((id, place) => [id, place]))
  const common = now.filter((id) => places.has(id))
  const placeAt = common.map((id) => required(places.get(id)))
  const tails: number[] = []
  const before: number[] = []
  for (let i = 0; i < common.length; i++) {
    const place = required(placeAt[i])
    let [low, high] = [0, tails.length]
    // Usually nothing was moved. Then each member is appended.
    if (high > 0 && required(placeAt[required(tails[high - 1])]) < place) low = high
    while (low < high) {
      const middle = (low + high) >> 1
      if (required(placeAt[required(tails[middle])]) < place) low = middle + 1
      else high = middle
    }
    before[i] = low > 0 ? required(tails[low - 1]) : -1
    tails[low] = i
  }
  const kept = new Set<string>()
  for (let i = tails.at(-1) ?? -1; i >= 0; i = required(before[i])) kept.add(required(common[i]))
  return kept
}
