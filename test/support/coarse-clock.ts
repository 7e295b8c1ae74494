/** Makes the clock of a process jump, for the hunt after tests (and code) that count on two things to happen at different times. */

/**
 * From now on the time is a multiple of `stepMs`, for all that asks `Date`. Timers and `performance` stay exact.
 * @param stepMs in milliseconds
 */
export function coarsenClock(stepMs: number): void {
  const exact = Date
  const now = (): number => Math.floor(exact.now() / stepMs) * stepMs
  // A proxy, so that dates made by Node itself are still instances of `Date`.
  globalThis.Date = new Proxy(exact, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  })
}
