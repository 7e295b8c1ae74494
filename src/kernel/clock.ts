/** Where the time comes from, so that tests can set it. */
import type { Noted, Recording } from './recording.js'

export interface Clock {
  now(): Date
  /** Notes what was derived from the time, if what is read is recorded. */
  noted?<T extends Noted>(name: string, derive: (now: number) => T): T
}

export const systemClock: Clock = { now: () => new Date() }

/**
 * Something that changes seldom as time goes on, such as the number of the day, from the milliseconds since 1970. A response
 * that depends on nothing else of the time can be kept until it changes.
 * @param name what it is; equal only for the same function
 */
export const fromTime = <T extends Noted>(clock: Clock, name: string, derive: (now: number) => T): T =>
  clock.noted ? clock.noted(name, derive) : derive(clock.now().getTime())

/** Whether a time, in ISO 8601, has come. */
export const isPast = (clock: Clock, time: string): boolean =>
  fromTime(clock, `past ${time}`, (now) => now >= Date.parse(time))

/** A clock that notes what is read from it. The time itself is different at every read, so only `fromTime` leaves something to compare. */
export function recordedClock(clock: Clock, recording: Recording): Clock {
  const source = {
    get version() {
      return clock.now().getTime()
    },
  }
  return {
    now: () => {
      recording.unknown()
      return clock.now()
    },
    noted: (name, derive) => {
      const read = () => derive(clock.now().getTime())
      const value = read()
      recording.note(`time ${name}`, value, read, source)
      return value
    },
  }
}

/** Seconds since 1970, as Git tells the time, in ISO 8601. */
export const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()
