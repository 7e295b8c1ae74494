/** How long an engine's list of languages counts. */
const KEPT_MS = 10 * 60_000

/** A question whose answer is asked once in ten minutes. A failure is not kept. */
export function remembered<T>(ask: (signal?: AbortSignal) => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let known: { value: T; until: number } | null = null
  return async (signal) => {
    if (!known || known.until < performance.now())
      known = { value: await ask(signal), until: performance.now() + KEPT_MS }
    return known.value
  }
}
