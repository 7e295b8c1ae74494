import * as assert from 'uvu/assert'
import { isSoak } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { assault } from './assault.js'
import { attacks, kindsCount } from './attacks.js'
import { HEALTH_EVERY_MS, mustHold, RESPONSE_MS } from './hold.js'

const test = suite('hostile input')

/** Selects some attacks of each way of sending for the test run, and all for a soak. */
function isPlayed(): (attack: { name: string }) => boolean {
  const counts = new Map<string, number>()
  return ({ name }) => {
    const [way = ''] = name.split(':')
    const at = counts.get(way) ?? 0
    counts.set(way, at + 1)
    return isSoak || at % 14 === 0
  }
}

test('there are at least 60 kinds of hostile input', () => {
  assert.ok(kindsCount >= 60)
})

test(
  'hostile input in every way of sending gets a response, and the service continues',
  async () => {
    // `scripts/hostile` covers larger sizes, and writes, merges and comments of the same texts.
    const all = attacks(['small'], (name) => !/^(write|merge|comment|README|vars\.yaml)/.test(name))
    const list = all.filter(isPlayed())
    mustHold(
      await assault(list, { heapMb: 512, width: 2, responseMs: RESPONSE_MS, healthEveryMs: HEALTH_EVERY_MS }),
      list,
    )
  },
  { timeoutMs: 540_000 },
)

test.run()
