/**
 * Makes the clock of a process advance in steps, to find tests and code that expect two events to have different times.
 */

/**
 * From now on, `Date` returns multiples of `stepMs`. Timers and `performance` stay exact.
 * @param stepMs in milliseconds
 */
export function coarsenClock(stepMs: number): void {
  const exact = Date
  const now = (): number => Math.floor(exact.now() / stepMs) * stepMs
  // A proxy, so that dates that Node creates are still instances of `Date`.
  globalThis.Date = new Proxy(exact, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  })
}
