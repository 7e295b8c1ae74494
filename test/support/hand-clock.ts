/** Clocks for tests in which the order of times matters, or how much of it goes by. */

/** A clock that stands still, and goes on by hand alone: on a busy machine, seconds may pass between two steps of a test. */
export function handClock() {
  let now = Date.now()
  return {
    now: () => new Date(now),
    forward: (ms: number) => void (now += ms),
  }
}

/** A clock that goes on by a millisecond whenever it is read: what is made later is later, in lists too, however quick the machine is. */
export function tickingClock() {
  let now = Date.now()
  return { now: () => new Date(++now) }
}
