/** Milliseconds that a long loop may keep the event loop to itself. */
const SLICE_MS = 8

/**
 * Cuts a long loop into slices, between which requests, timers and answers of others have their turn:
 * `if (slices.due) await slices.rest()` in each round.
 */
export class Slices {
  #end = performance.now() + SLICE_MS

  /** Whether this slice is over. */
  get due(): boolean {
    return performance.now() >= this.#end
  }

  /** Lets all that waits run once, then begins the next slice. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#end = performance.now() + SLICE_MS
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
