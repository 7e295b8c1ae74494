/** Where the time comes from, so that tests can set it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** Seconds since 1970, as Git tells the time, in ISO 8601. */
export const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()
