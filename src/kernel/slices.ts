/** Maximum time in milliseconds that all long loops together may block the event loop. */
const SLICE_MS = 8
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

/** Runs a generator to its end without a pause, and returns its result. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
