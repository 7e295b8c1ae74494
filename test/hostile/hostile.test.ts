import * as assert from 'uvu/assert'
import { suite } from '../support/suite.js'
import { type Assault, assault } from './assault.js'
import { type Attack, attacks, kindsCount } from './attacks.js'

const test = suite('hostile input')

/** Bounds for a machine that does other work too; `scripts/hostile` measures the real ones. */
const HEALTH_MS = 3_000
const PEAK_MB = 1_500

function mustHold({ results, busy, peakMb, deaths }: Assault, list: readonly Attack[]): void {
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

test('there are at least 60 kinds', () => {
  assert.ok(kindsCount >= 60)
})

test(
  'each kind at 100 KB is answered, and the service goes on',
  async () => {
    const list = attacks(['small'], (name) => !name.startsWith('comment'))
    mustHold(await assault(list, { heapMb: 512, width: 2 }), list)
  },
  { timeoutMs: 540_000 },
)

test(
  'kinds that once held up the service, at 1 MB',
  async () => {
    const once =
      /^(page|comment|write): (a table without leading pipes|backticks rising|a nested list of one megabyte|a wide table)$|^tree: text of|^front matter: flow maps|^JSON: arrays/
    const list = attacks(['large'], (name) => once.test(name))
    assert.ok(list.length > 15)
    mustHold(await assault(list, { heapMb: 512, width: 2 }), list)
  },
  { timeoutMs: 540_000 },
)

test.run()
