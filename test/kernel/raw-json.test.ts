import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { listAsJson, RawJson, toJson, toJsonInSlices } from '../../src/kernel/raw-json.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'

const test = suite('serialized JSON')

test('a list that is serialized in slices has the same JSON, and null omits an item', async () => {
  const item = fc.oneof(fc.constant(null), fc.record({ name: unicodeText(), deep: fc.jsonValue({ maxDepth: 2 }) }))
  await fc.assert(
    fc.asyncProperty(fc.array(item), fc.string(), async (items, after) => {
      const list = await listAsJson(items, (one) => one)
      const plain = JSON.stringify({ list: items.filter((one) => one !== null), after })
      assert.is(toJson({ list, after }).toString(), Buffer.from(plain).toString())
      assert.is((await toJsonInSlices({ list, after })).toString(), Buffer.from(plain).toString())
    }),
    { numRuns: 50 },
  )
})

test('other requests run between the slices of a long list, and no item is lost', async () => {
  let turns = 0
  const turn = (): void => {
    if (++turns < 3) setImmediate(turn)
  }
  setImmediate(turn)
  function* numbers(): Generator<number> {
    // This only ends if other tasks run in the meantime.
    for (let n = 0; turns < 3; n++) yield n
  }
  let made = 0
  const list = await listAsJson(numbers(), (n) => ({ n, text: `ä${made++}` }))
  const parsed = JSON.parse(toJson(list).toString()) as { n: number }[]
  assert.is(turns, 3)
  assert.is(parsed.length, made)
  assert.ok(parsed.every(({ n }, at) => n === at))
  assert.ok(list instanceof RawJson)
})

test('other requests run while a response of many megabytes is joined', async () => {
  const MIB = 1024 * 1024
  const chunk = Buffer.alloc(4 * MIB, ' ')
  let turns = 0
  setImmediate(() => turns++)
  const whole = await toJsonInSlices({ list: new RawJson([...Array(64).fill(chunk), Buffer.from('[1]')]) })
  assert.ok(turns > 0)
  assert.is(whole.length, 256 * MIB + '{"list":[1]}'.length)
  assert.is(whole.toString('latin1', whole.length - 4), '[1]}')
})

test.run()
