import type { Clock } from '../../../src/kernel/clock.js'

/** 2026-01-01. */
const BEGIN = Date.UTC(2026, 0)
const STEP_MS = 60_000
const SLOW_MS = 4_000
const SLOWNESS = 5

/**
 * The time of a story. Every step has its own minute and uses less than a second of it, so that commits have the same
 * dates in every run. A long step that waits for a deadline gets real time.
 */
export class StoryClock implements Clock {
  #step = -1
  #begun = performance.now()

  begin(step: number): void {
    this.#step = step
    this.#begun = performance.now()
  }

  now(): Date {
    const passed = performance.now() - this.#begun
    return new Date(
      BEGIN + (this.#step + 2) * STEP_MS + Math.min(passed < SLOW_MS ? passed / SLOWNESS : passed, STEP_MS - 1),
    )
  }

  /** For commits with plain Git. */
  get seconds(): number {
    return Math.floor(this.now().getTime() / 1000)
  }
}
