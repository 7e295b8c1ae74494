import * as assert from 'uvu/assert'
import { type RateLimit, rateLimit } from '../../../src/api/pipeline/rate-limit.js'
import { startService } from '../../support/service.js'
import { suite } from '../../support/suite.js'

const test = suite('request counters')

function isLet(limit: RateLimit, key: string): boolean {
  const room = limit.room(key, performance.now()) !== null
  try {
    limit.count(key)
  } catch {
    assert.is(room, false)
    return false
  }
  assert.is(room, true)
  return true
}

test('the number of counters is bounded, and the longest idle one is dropped', () => {
  const limit = rateLimit('test', 2)
  assert.ok(limit)
  limit.count('first')
  limit.count('first')
  assert.is(isLet(limit, 'first'), false)
  for (let n = 0; n < 49_999; n++) limit.count(`other-${n}`)
  assert.is(isLet(limit, 'first'), false)
  for (let n = 0; n < 50_000; n++) limit.count(`more-${n}`)
  assert.is(isLet(limit, 'first'), true)
  assert.is(isLet(limit, 'more-49999'), true)
  assert.is(isLet(limit, 'more-49999'), false)
})

test('an IPv6 address counts as its network, because its owner has the whole network', async () => {
  const here = await startService({ env: { BINDERY_TRUST_PROXY: '1', BINDERY_RATE_LIMIT_PER_MINUTE_ADDRESS: '20' } })
  try {
    const from = (address: string) =>
      fetch(`${here.url}/v1`, { headers: { 'X-Forwarded-For': address } }).then(({ status }) => status)
    const statuses = await Promise.all(Array.from({ length: 30 }, (_, n) => from(`2001:db8:1:2::${n.toString(16)}`)))
    assert.is(statuses.filter((status) => status === 429).length, 10)
    assert.is(await from('2001:db8:1:3::1'), 200)
    assert.is(await from('192.0.2.1'), 200)
  } finally {
    await here.close()
  }
})

test.run()
