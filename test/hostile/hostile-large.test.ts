import * as assert from 'uvu/assert'
import { suite } from '../support/suite.js'
import { assault } from './assault.js'
import { attacks } from './attacks.js'
import { HEALTH_EVERY_MS, mustHold, RESPONSE_MS } from './hold.js'

const test = suite('hostile input of one megabyte')

test(
  'the service survives kinds of input that once blocked it',
  async () => {
    const once =
      /^(page|comment|write): (a table without leading pipes|backticks rising|a nested list of one megabyte|a wide table)$|^tree: text of|^front matter: flow maps|^JSON: arrays/
    const list = attacks(['large'], (name) => once.test(name))
    assert.ok(list.length > 15)
    mustHold(
      await assault(list, { heapMb: 512, width: 2, responseMs: RESPONSE_MS, healthEveryMs: HEALTH_EVERY_MS }),
      list,
    )
  },
  { timeoutMs: 540_000 },
)

test.run()
