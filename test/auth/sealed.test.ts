import { randomBytes } from 'node:crypto'
import * as assert from 'uvu/assert'
import { seal, unseal } from '../../src/auth/index.js'
import { suite } from '../support/suite.js'

const test = suite('auth: sealed secrets')
const key = randomBytes(32)

test('a sealed secret opens only in its own context with its own key', () => {
  const sealed = seal(key, 'site:1', 'secret')
  assert.not.ok(Buffer.from(sealed, 'base64url').includes('secret'))
  assert.is(unseal(key, 'site:1', sealed), 'secret')
  assert.is(unseal(key, 'site:2', sealed), null)
  assert.is(unseal(randomBytes(32), 'site:1', sealed), null)
  assert.is.not(seal(key, 'site:1', 'secret'), sealed)
})

test('an altered or truncated secret does not open', () => {
  const bytes = Buffer.from(seal(key, 'a', 'secret'), 'base64url')
  for (let i = 0; i < bytes.length; i++) {
    const altered = Buffer.from(bytes)
    altered[i] = (altered[i] as number) ^ 1
    assert.is(unseal(key, 'a', altered.toString('base64url')), null)
    assert.is(unseal(key, 'a', bytes.subarray(0, i).toString('base64url')), null)
  }
  assert.is(unseal(key, 'a', ''), null)
})

test.run()
