/** Time for which an engine's list of languages is cached, in milliseconds. */
const CACHE_MS = 10 * 60_000

/** Caches the result of a function for ten minutes. Failures are not cached. */
export function cachedForMinutes<T>(ask: (signal?: AbortSignal) => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let known: { value: T; until: number } | null = null
  return async (signal) => {
    if (!known || known.until < performance.now())
      known = { value: await ask(signal), until: performance.now() + CACHE_MS }
    return known.value
  }
}
