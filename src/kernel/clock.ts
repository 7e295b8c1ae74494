/** Where the time comes from, so that tests can set it. */
export interface Clock {
  /** The present moment. */
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
