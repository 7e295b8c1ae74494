import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { MemoryBudget } from '../../src/kernel/memory-budget.js'
import { suite } from '../support/suite.js'

const test = suite('memory budget')
interface Layer {
  bytes: number
  base: Layer | null
}
const MIB = 1024 * 1024

test('500 values of 5 MB in one bounded cache stay within 256 MiB', () => {
  const budget = new MemoryBudget(256 * MIB)
  const structures = budget.cache<{ n: number }>({ weigh: () => 5_000_000 })
  for (let n = 0; n < 500; n++) structures.set(String(n), { n })
  assert.ok(budget.used <= budget.bytes)
  assert.is(structures.get('499')?.n, 499)
  assert.is(Array.from({ length: 500 }, (_, n) => structures.has(String(n))).filter(Boolean).length, 53)
})

test('the least recently used value is evicted first, whichever cache holds it', () => {
  const budget = new MemoryBudget(10_000)
  const [one, two] = [budget.cache<string>({ weigh: () => 1500 }), budget.cache<string>({ weigh: () => 1500 })]
  for (const key of ['a', 'b']) for (const cache of [one, two]) cache.set(key, `${key}!`)
  one.get('a')
  for (const key of ['c', 'd']) two.set(key, key)
  assert.equal([one.get('a'), two.get('a'), one.get('b')], ['a!', undefined, 'b!'])
  one.clear()
  assert.equal([one.get('a'), two.get('d')], [undefined, 'd'])
})

test('a value with many keys is counted once and is removed from all of them', () => {
  const budget = new MemoryBudget(100_000)
  const cache = budget.cache<object>({ weigh: () => 20_000 })
  const value = {}
  for (let n = 0; n < 50; n++) cache.set(`k${n}`, value)
  assert.ok(budget.used < 40_000)
  for (let n = 0; n < 10; n++) cache.set(`other${n}`, {})
  assert.is(Array.from({ length: 50 }, (_, n) => cache.has(`k${n}`)).some(Boolean), false)
  assert.ok(budget.used <= 100_000)
})

test('a shared value is removed with its last dependent', () => {
  const budget = new MemoryBudget(MIB)
  const bodies = budget.cache<object>({ weigh: () => 5000, goesWithLast: true })
  const responses = budget.cache<{ body: object }>({ weigh: () => 100, base: ({ body }) => body as { body: object } })
  const body = {}
  bodies.set('tag', body)
  assert.is(bodies.has('tag'), true, 'nobody has used it yet')
  for (const reader of ['one', 'two']) responses.set(reader, { body })
  responses.delete('one')
  assert.is(bodies.has('tag'), true)
  responses.set('two', { body: {} })
  assert.is(bodies.has('tag'), false)
  assert.is(responses.has('two'), true)
})

test('a value that is too large for a cache is not stored', () => {
  const cache = new MemoryBudget(1000 * MIB).cache<string>({ weigh: (text) => text.length, maxEntryBytes: 10 })
  cache.set('a', 'short')
  cache.set('a', 'too long for it')
  assert.is(cache.get('a'), undefined)
})

/** Everything that is reachable from the values that a cache still returns. */
function reachable(values: Iterable<Layer>): number {
  const seen = new Set<Layer>()
  for (const value of values) for (let at: Layer | null = value; at; at = at.base) seen.add(at)
  return [...seen].reduce((sum, { bytes }) => sum + bytes, 0)
}

test('the reachable memory never exceeds the budget after any operations', () => {
  const action = fc.record({
    key: fc.nat(30),
    what: fc.constantFrom('set', 'grow', 'share', 'get', 'delete'),
    bytes: fc.nat(4_000),
    other: fc.nat(30),
  })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
      const budget = new MemoryBudget(20_000)
      const cache = budget.cache<Layer>({ weigh: ({ bytes }) => bytes, base: ({ base }) => base })
      for (const { key, what, bytes, other } of actions) {
        const found = cache.get(String(other))
        if (what === 'set') cache.set(String(key), { bytes, base: null })
        if (what === 'grow') cache.set(String(key), { bytes, base: found ?? null })
        if (what === 'share' && found) cache.set(String(key), found)
        if (what === 'delete') cache.delete(String(key))
        const left = Array.from({ length: 31 }, (_, n) => cache.get(String(n))).flatMap((one) => one ?? [])
        assert.ok(reachable(left) <= budget.used, `${reachable(left)} bytes are reachable, ${budget.used} charged`)
        assert.ok(budget.used <= budget.bytes)
      }
    }),
    { numRuns: 300 },
  )
})

test.run()
