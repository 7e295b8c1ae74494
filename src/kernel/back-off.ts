/** Milliseconds to wait after the first failure and at most, and the factor for each further failure (default 2). */
interface BackOff {
  firstMs: number
  maxMs: number
  factor?: number
}

/** Returns the time to wait after a number of consecutive failures (1 or more), in milliseconds. */
export const backOff = (failures: number, { firstMs, maxMs, factor = 2 }: BackOff): number =>
  Math.min(maxMs, firstMs * factor ** (failures - 1))
