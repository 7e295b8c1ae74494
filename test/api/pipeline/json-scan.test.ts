import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { guardJson } from '../../../src/api/pipeline/json-guard.js'
import { JsonScan } from '../../../src/api/pipeline/json-scan.js'
import type { ServiceError } from '../../../src/kernel/errors.js'
import { suite } from '../../support/suite.js'

const test = suite('JSON scan of incoming bodies')

const valuesOf = (value: unknown): number =>
  1 +
  (typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, one) => sum + valuesOf(one), 0)
    : 0)
const emptiesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, one) => sum + emptiesOf(one), Object.keys(value).length === 0 ? 1 : 0)
    : 0

test('the scan counts all values, however the bytes are split', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.nat(200)), fc.boolean(), (value, cuts, pretty) => {
      const bytes = Buffer.from(JSON.stringify(value, null, pretty ? 2 : 0))
      const scan = new JsonScan()
      let at = 0
      for (const cut of cuts) scan.push(bytes.subarray(at, (at = Math.min(bytes.length, at + cut))))
      scan.push(bytes.subarray(at))
      assert.is(scan.values, valuesOf(value) + emptiesOf(value))
    }),
  )
})

const refusal = (text: string): number | null => {
  try {
    new JsonScan().push(Buffer.from(text))
    return null
  } catch (error) {
    return (error as ServiceError).status
  }
}

test('the scan rejects excessive depth and counts before parsing', () => {
  assert.is(refusal('['.repeat(100)), null)
  assert.is(refusal('['.repeat(101)), 400)
  assert.is(refusal('{"a":'.repeat(101)), 400)
  assert.is(refusal('[],'.repeat(150_000)), null)
  assert.is(refusal('[],'.repeat(250_000)), 413)
  assert.is(refusal(`"${'[,\\"'.repeat(1_000_000)}"`), null, 'what stands in texts does not count')
})

test('the scan rejects too many different names, but names may repeat', () => {
  const object = (from: number, to: number): string =>
    `{${Array.from({ length: to - from }, (_, n) => `"name ${from + n}" : "text ${n}"`).join(',')}}`
  assert.is(refusal(object(0, 4_000)), null)
  assert.is(refusal(object(0, 4_100)), 413)
  assert.is(refusal(`[${Array.from({ length: 4_100 }, (_, n) => object(n, n + 1)).join(',')}]`), 413)
  assert.is(refusal(`[${Array.from({ length: 50 }, () => object(0, 1_000)).join(',')}]`), null)
  assert.is(
    refusal(`[${Array.from({ length: 10_000 }, (_, n) => `"name ${n}"`).join(',')}]`),
    null,
    'texts are no names',
  )
})

test('the scan computes a position only for a rejected body', () => {
  const refused = (value: unknown): string | undefined => {
    try {
      guardJson(value)
      return undefined
    } catch (error) {
      return (error as ServiceError).extra.details?.[0]?.path
    }
  }
  assert.is(refused({ a: [1, { b: 'x\0' }] }), '/a/1/b')
  assert.is(refused({ a: { '\ud800': 1 } }), '/a')
  assert.is(refused(JSON.parse('{"a":[{"__proto__":1}]}')), '/a/0')
  assert.is(refused({ a: [1, { b: 'x' }] }), undefined)
})

test.run()
