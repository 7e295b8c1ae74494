/** A clock that stands still, and goes on by hand alone: on a busy machine, seconds may pass between two steps of a test. */
export function handClock() {
  let now = Date.now()
  return {
    now: () => new Date(now),
    forward: (ms: number) => void (now += ms),
  }
}
