/** Clocks for tests that depend on the order of times, or on elapsed time. */

/** A clock that only advances by hand. On a busy machine, seconds may pass between two steps of a test. */
export function handClock() {
  let now = Date.now()
  return {
    now: () => new Date(now),
    forward: (ms: number) => void (now += ms),
  }
}

/**
 * A clock that advances by a millisecond at each read. Later items have later times, in lists too, on machines of any
 * speed.
 */
export function tickingClock() {
  let now = Date.now()
  return { now: () => new Date(++now) }
}
