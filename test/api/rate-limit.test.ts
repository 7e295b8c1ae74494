import * as assert from 'uvu/assert'
import { rateLimit } from '../../src/api/pipeline/rate-limit.js'
import { suite } from '../support/suite.js'

const test = suite('counters of requests')

const isLet = (counted: Promise<unknown>): Promise<boolean> =>
  counted.then(
    () => true,
    () => false,
  )

test('are bounded in number: of many, the one that was silent for the longest begins anew', async () => {
  const limit = rateLimit('test', 2)
  assert.ok(limit)
  await limit('first')
  await limit('first')
  assert.is(await isLet(limit('first')), false)
  for (let n = 0; n < 49_999; n++) await limit(`other-${n}`)
  assert.is(await isLet(limit('first')), false)
  for (let n = 0; n < 50_000; n++) await limit(`more-${n}`)
  assert.is(await isLet(limit('first')), true)
  assert.is(await isLet(limit('more-49999')), true)
  assert.is(await isLet(limit('more-49999')), false)
})

test.run()
