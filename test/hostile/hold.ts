import * as assert from 'uvu/assert'
import type { Assault } from './assault.js'
import type { Attack } from './attacks.js'

/** Bounds for a machine with other work. `scripts/hostile` measures the real values. */
export const RESPONSE_MS = 60_000
const HEALTH_MS = 3_000
/** The interval at which the tests request /healthz. It is short enough to detect a hang of `HEALTH_MS`. */
export const HEALTH_EVERY_MS = 200
const PEAK_MB = 1_500

/** Checks that every attack was sent and got its responses, and that the service was healthy the whole time. */
export function mustHold({ results, busy, peakMb, deaths }: Assault, list: readonly Attack[]): void {
  assert.equal(
    results.flatMap(({ wrong }) => wrong),
    [],
  )
  assert.is(deaths, 0)
  assert.is(results.length, list.length)
  assert.is(busy.failures, 0)
  assert.ok(busy.p99 < HEALTH_MS, `/healthz: p99 ${busy.p99} ms`)
  assert.ok(peakMb === null || peakMb < PEAK_MB, `peak memory ${peakMb} MiB`)
}
