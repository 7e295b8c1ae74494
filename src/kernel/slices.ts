/** Milliseconds that long loops may keep the event loop to themselves, all together. */
const SLICE_MS = 8
const LEAST_MS = 1

/**
 * Cuts a long loop into slices, between which requests, timers and answers of others have their turn:
 * `if (slices.due) await slices.rest()` in each round. Loops that are under way side by side share the time.
 */
export class Slices {
  static #resting = 0
  #end = Slices.#next()

  static #next(): number {
    return performance.now() + Math.max(LEAST_MS, SLICE_MS / (1 + Slices.#resting))
  }

  /** Whether this slice is over. */
  get due(): boolean {
    return performance.now() >= this.#end
  }

  /** Lets all that waits run once, then begins the next slice. */
  async rest(): Promise<void> {
    Slices.#resting++
    await new Promise((resolve) => setImmediate(resolve))
    Slices.#resting--
    this.#end = Slices.#next()
  }
}

/** The end of what goes step by step, with others having their turn between the slices. */
export async function inSlices<T>(steps: Generator<void, T>): Promise<T> {
  const slices = new Slices()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (slices.due) await slices.rest()
  }
}

/** The end of what goes step by step, at once. */
export function atOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
