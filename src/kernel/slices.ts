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
