// A sorted list for many keys, as used by indexes.
import { required } from '../kernel/defined.js'
import { compareSortKeys, type Direction, type SortKey } from '../kernel/paging.js'

/** Maximum length of a block. A longer block is split in two. */
const FULL = 512

/**
 * Sort keys in ascending order. They are in blocks, so that a change moves only a few of them, regardless of their
 * number.
 */
export class SortedKeys {
  readonly #blocks: SortKey[][] = []
  #size: number

  constructor(sorted: readonly SortKey[] = []) {
    this.#size = sorted.length
    for (let at = 0; at < sorted.length; at += FULL / 2) this.#blocks.push(sorted.slice(at, at + FULL / 2))
  }

  get size(): number {
    return this.#size
  }

  add(key: SortKey): void {
    const index = this.#blockOf(key)
    const block = this.#blocks[index]
    this.#size++
    if (!block) {
      this.#blocks.push([key])
      return
    }
    block.splice(countBelow(block, key), 0, key)
    if (block.length > FULL) this.#blocks.splice(index + 1, 0, block.splice(FULL / 2))
  }

  delete(key: SortKey): void {
    const index = this.#blockOf(key)
    const block = this.#blocks[index]
    const place = block ? countBelow(block, key) : 0
    const there = block?.[place]
    if (!block || !there || compareSortKeys(there, key) !== 0) return
    this.#size--
    block.splice(place, 1)
    if (block.length === 0) this.#blocks.splice(index, 1)
  }

  /**
   * Yields the keys after `after` (absent: all), in the direction. Must be read synchronously, because the keys must
   * not change during the iteration.
   */
  *from(direction: Direction, after?: SortKey): Iterable<SortKey> {
    const step = direction === 'asc' ? 1 : -1
    let index = after ? this.#blockOf(after) : step > 0 ? 0 : this.#blocks.length - 1
    let block = this.#blocks[index]
    let place = !block
      ? 0
      : step > 0
        ? after
          ? countUpTo(block, after)
          : 0
        : (after ? countBelow(block, after) : block.length) - 1
    while (block) {
      for (; place >= 0 && place < block.length; place += step) yield required(block[place])
      block = this.#blocks[(index += step)]
      place = step > 0 || !block ? 0 : block.length - 1
    }
  }

  /**
   * Returns the index of the block that contains a key or would contain it: the last one that starts at or before it,
   * or the first.
   */
  #blockOf(key: SortKey): number {
    let low = 0
    let high = this.#blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareSortKeys(required(this.#blocks[middle]?.[0]), key) <= 0) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }
}

/** Returns the number of keys in a block that are less than `key`. */
function countBelow(block: readonly SortKey[], key: SortKey): number {
  let low = 0
  let high = block.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareSortKeys(required(block[middle]), key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the number of keys in a block that are less than or equal to `key`. */
function countUpTo(block: readonly SortKey[], key: SortKey): number {
  const below = countBelow(block, key)
  const next = block[below]
  return next && compareSortKeys(next, key) === 0 ? below + 1 : below
}
