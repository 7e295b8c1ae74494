/** A source of the time, so that tests can control it. */
import type { Comparable, Recording } from './recording.js'

export interface Clock {
  now(): Date
  /** Records a value derived from the time, if reads are recorded. */
  recorded?<T extends Comparable>(name: string, derive: (now: number) => T): T
}

export const systemClock: Clock = { now: () => new Date() }

/**
 * Returns a value that changes rarely over time, such as the number of the day, from the milliseconds since 1970.
 * A response that depends on no other time value can be cached until it changes.
 * @param name name of the value; equal only for the same function
 */
export const fromTime = <T extends Comparable>(clock: Clock, name: string, derive: (now: number) => T): T =>
  clock.recorded ? clock.recorded(name, derive) : derive(clock.now().getTime())

/** Whether a time, in ISO 8601, is in the past. */
export const isPast = (clock: Clock, time: string): boolean =>
  fromTime(clock, `past ${time}`, (now) => now >= Date.parse(time))

/**
 * Returns a clock that records reads. The time itself differs at every read, so only values from `fromTime` can be
 * compared later.
 */
export function recordedClock(clock: Clock, recording: Recording): Clock {
  const source = {
    get version() {
      return clock.now().getTime()
    },
  }
  return {
    now: () => {
      recording.recordUnknown()
      return clock.now()
    },
    recorded: (name, derive) => {
      const read = () => derive(clock.now().getTime())
      const value = read()
      recording.recordValue(`time ${name}`, value, read, source)
      return value
    },
  }
}

/** Converts seconds since 1970, as Git records time, to ISO 8601. */
export const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()
