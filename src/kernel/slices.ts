/** Maximum time in milliseconds that all long loops together may block the event loop. */
const SLICE_MS = 3
const MIN_MS = 1

/**
 * Divides a long loop into slices, between which requests and timers run:
 * `if (slices.due) await slices.rest()` in each round. Concurrent loops share the time.
 */
export class Slices {
  static #resting = 0
  #end = Slices.#next()

  static #next(): number {
    return performance.now() + Math.max(MIN_MS, SLICE_MS / (1 + Slices.#resting))
  }

  /** Whether this slice is over. */
  get due(): boolean {
    return performance.now() >= this.#end
  }

  /** Lets all waiting work run once, then starts the next slice. */
  async rest(): Promise<void> {
    Slices.#resting++
    await new Promise((resolve) => setImmediate(resolve))
    Slices.#resting--
    this.#end = Slices.#next()
  }
}

/** Runs a generator to its end, in slices, and returns its result. */
export async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  const slices = new Slices()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (slices.due) await slices.rest()
  }
}

/** Calls `work` for each item, in slices. */
export async function eachInSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  const slices = new Slices()
  for (const item of items) {
    if (slices.due) await slices.rest()
    work(item)
  }
}

/** Returns what `make` returns for each item, made in slices. */
export async function mapInSlices<T, R>(items: Iterable<T>, make: (item: T) => R): Promise<R[]> {
  const made: R[] = []
  await eachInSlices(items, (item) => void made.push(make(item)))
  return made
}

/** Returns the items that pass a test, which is run in slices. */
export async function filterInSlices<T>(items: Iterable<T>, test: (item: T) => boolean): Promise<T[]> {
  const found: T[] = []
  await eachInSlices(items, (item) => {
    if (test(item)) found.push(item)
  })
  return found
}

/** Returns a sorted copy of a list, made in slices. Equal items keep their order. */
export const sortInSlices = <T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> =>
  inSlices(sortInSteps(items, compare))

/** Number of items that are sorted or merged in one step. */
const SORTED_AT_ONCE = 128

/** Returns a sorted copy of a list. A merge sort that yields after a bounded number of comparisons, which `Array.sort` cannot. */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  let runs: T[][] = []
  for (let from = 0; from < items.length; from += SORTED_AT_ONCE) {
    runs.push(items.slice(from, from + SORTED_AT_ONCE).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* mergeInSteps(runs[at]!, runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

/** Merges two sorted lists. Of equal items, those of `first` come first. */
export function* mergeInSteps<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, T[]> {
  const merged: T[] = []
  for (let i = 0, j = 0; i < first.length || j < second.length; ) {
    const isFirst = j === second.length || (i < first.length && compare(first[i]!, second[j]!) <= 0)
    merged.push(isFirst ? first[i++]! : second[j++]!)
    if (merged.length % SORTED_AT_ONCE === 0) yield
  }
  return merged
}

/** Runs a generator to its end without a pause, and returns its result. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
