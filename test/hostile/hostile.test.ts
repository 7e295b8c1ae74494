// @costly: every kind of hostile input goes through every way in
import * as assert from 'uvu/assert'
import { suite } from '../support/suite.js'
import { assault } from './assault.js'
import { attacks, kindsCount } from './attacks.js'
import { HEALTH_EVERY_MS, mustHold, RESPONSE_MS } from './hold.js'

const test = suite('hostile input')

test('there are at least 60 kinds of hostile input', () => {
  assert.ok(kindsCount >= 60)
})

test(
  'each kind at 100 KB gets a response, and the service continues',
  async () => {
    // `scripts/hostile` covers writes, merges and comments of the same texts.
    const list = attacks(['small'], (name) => !/^(write|merge|comment|README|vars\.yaml)/.test(name))
    mustHold(
      await assault(list, { heapMb: 512, width: 2, responseMs: RESPONSE_MS, healthEveryMs: HEALTH_EVERY_MS }),
      list,
    )
  },
  { timeoutMs: 540_000 },
)

test.run()
