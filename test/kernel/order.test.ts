import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { inOrder, type Ordered, orderKey, positionsAt } from '../../src/kernel/order.js'
import { suite } from '../support/suite.js'

const test = suite('kernel: order')
const at = (seconds: number): string => new Date(seconds * 1000).toISOString()
const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((one) => ({ one, key: JSON.stringify(one) }))
    .sort((a, b) => (a.key < b.key ? 1 : -1))
    .map(({ one }) => one)

/** Inserts new items (or an existing one) at the requested position. Returns the siblings as they are stored then. */
function put(stored: readonly Ordered[], what: readonly Ordered[], index: number): Ordered[] {
  const others = inOrder(stored.filter(({ id }) => !what.some((one) => one.id === id)))
  const { positions, moved } = positionsAt(others, index, what.length)
  const rest = others.map((one) => ({ ...one, position: moved.get(one.id) ?? one.position })) as Ordered[]
  return shuffled([...rest, ...what.map((one, i) => ({ ...one, position: positions[i] as string }))])
}

test('items without a key come first by creation, and the others in the order of their keys', () => {
  const all: Ordered[] = [
    { id: 'd', position: 'a1', createdAt: at(1) },
    { id: 'c', position: 'Zz', createdAt: at(9) },
    { id: 'b', createdAt: at(3) },
    { id: 'a', createdAt: at(2) },
  ]
  assert.equal(
    inOrder(all).map(({ id }) => id),
    ['a', 'b', 'c', 'd'],
  )
  assert.equal(inOrder(all).map(orderKey), inOrder(all).map(orderKey).sort())
})

test('every item is at its requested position after additions, moves and removals', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), n: fc.integer({ min: 1, max: 4 }), to: fc.nat(50) }),
    fc.record({ kind: fc.constant('move' as const), from: fc.nat(50), to: fc.nat(50) }),
    fc.record({ kind: fc.constant('remove' as const), from: fc.nat(50) }),
  )
  fc.assert(
    fc.property(fc.nat(5), fc.array(step, { maxLength: 60 }), (keyless, steps) => {
      let stored: Ordered[] = Array.from({ length: keyless }, (_, i) => ({ id: `old${i}`, createdAt: at(i) }))
      const model = stored.map(({ id }) => id)
      let made = 0
      for (const one of steps) {
        if (one.kind === 'add') {
          const index = one.to % (model.length + 1)
          const fresh = Array.from({ length: one.n }, () => ({ id: `new${++made}`, createdAt: at(100 + made) }))
          stored = put(stored, fresh, index)
          model.splice(index, 0, ...fresh.map(({ id }) => id))
        } else if (model.length > 0) {
          const [id] = model.splice(one.from % model.length, 1)
          const item = stored.find((other) => other.id === id) as Ordered
          if (one.kind === 'remove') stored = stored.filter((other) => other !== item)
          else {
            const index = one.to % (model.length + 1)
            stored = put(stored, [item], index)
            model.splice(index, 0, id as string)
          }
        }
        assert.equal(
          inOrder(stored).map(({ id }) => id),
          model,
        )
      }
    }),
  )
})

test('keys stay short when items are inserted repeatedly between the same two', () => {
  let stored: Ordered[] = put([], [{ id: 'first', createdAt: at(0) }], 0)
  stored = put(stored, [{ id: 'last', createdAt: at(0) }], 1)
  for (let i = 0; i < 2000; i++) stored = put(stored, [{ id: `between${i}`, createdAt: at(i) }], 1)
  assert.ok(stored.every(({ position = '' }) => position.length <= 48))
  assert.is(inOrder(stored)[1]?.id, 'between1999')
})

test('equal keys after a manual repair are separated by the next move between them', () => {
  const twins: Ordered[] = ['a', 'b', 'c'].map((id) => ({ id, position: 'a0', createdAt: at(0) }))
  const stored = put(twins, [{ id: 'x', createdAt: at(5) }], 1)
  assert.equal(
    inOrder(stored).map(({ id }) => id),
    ['a', 'x', 'b', 'c'],
  )
})

test.run()
