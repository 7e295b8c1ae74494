import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { compareSortKeys, type SortKey } from '../../src/kernel/paging.js'
import { keyText, placeOf } from '../../src/store/postgres/encoding.js'
import { suite } from '../support/suite.js'

const test = suite('encoding of keys for PostgreSQL')

/** Code units where encodings change their form, and their neighbors. */
const aUnit = fc.oneof(
  fc.constantFrom(0, 1, 2, 3, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfffe, 0xffff),
  fc.integer({ min: 0, max: 0xffff }),
)
const aText = fc.oneof(
  fc.array(aUnit, { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
  fc
    .tuple(fc.integer({ min: 990, max: 1010 }), fc.array(aUnit, { maxLength: 4 }))
    .map(([n, units]) => 'x'.repeat(n) + String.fromCharCode(...units)),
)
const aNumber = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0, -0, 5e-324, -5e-324),
)
const aKey: fc.Arbitrary<SortKey> = fc.tuple(fc.oneof(aText, aNumber), aText)

/** The order in which PostgreSQL compares two keys: by the first part, then by the second. */
function comparePlaces(a: SortKey, b: SortKey): number {
  const [x, y] = [placeOf(a), placeOf(b)]
  return Buffer.compare(x.place, y.place) || Buffer.compare(x.rest, y.rest)
}

test('encoded sort keys have the same order as the keys', () =>
  fc.assert(
    fc.property(aKey, aKey, (a, b) => {
      assert.is(comparePlaces(a, b), compareSortKeys(a, b))
      assert.is(comparePlaces([a[0], b[1]], b), compareSortKeys([a[0], b[1]], b))
      assert.is(comparePlaces([b[0], a[1]], b), compareSortKeys([b[0], a[1]], b))
    }),
    { numRuns: 2000 },
  ))

test('key texts are short, valid in PostgreSQL, and equal only for equal keys', () =>
  fc.assert(
    fc.property(aText, aText, (a, b) => {
      assert.is(keyText(a) === keyText(b), a === b)
      assert.ok(keyText(a).length <= 200 && !/[\0\p{Cs}]/u.test(keyText(a)))
    }),
    { numRuns: 2000 },
  ))

test.run()
