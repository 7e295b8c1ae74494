import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { checkCondition } from '../../src/content/conditions/check.js'
import { evaluateCondition } from '../../src/content/conditions/evaluate.js'
import { suite } from '../support/suite.js'

const test = suite('content: evaluation of conditions')

const claims = {
  beta: true,
  plan: 'pro',
  age: 21,
  debt: -2,
  groups: ['x', 'y'],
  inner: { 'a b': null },
  empty: '',
  none: null,
}

const table: [text: string, wanted: boolean][] = [
  ['visitor.claims.beta', true],
  ['!visitor.claims.beta', false],
  ['visitor.claims.beta == true && "x" in visitor.claims.groups', true],
  ['"z" in visitor.claims.groups || visitor.claims.plan === "pro"', true],
  ['visitor.claims.plan in ["free", "pro"]', true],
  ['["free"].includes(visitor.claims.plan)', false],
  ['visitor.claims.groups.includes("y")', true],
  ['visitor.claims.plan.includes("ro")', true],
  ['visitor.claims.age >= 18 && visitor.claims.age < 65', true],
  ['visitor.claims.debt < -1', true],
  ['visitor.claims.debt > "-3"', false],
  ['visitor.claims.plan < "z"', true],
  ['visitor.claims.missing', false],
  ['visitor.claims.missing == undefined && visitor.claims.missing == null', true],
  ['visitor.claims.missing === null', false],
  ['visitor.claims.none != undefined', false],
  ['visitor.claims.missing.deeper.still', false],
  ['visitor.claims?.inner?.["a b"] == null', true],
  ['"inner" in visitor.claims', true],
  ['"toString" in visitor.claims', false],
  ['visitor.claims.toString', false],
  ['visitor.claims.groups.length === 2', true],
  ['visitor.claims.age == "21"', false],
  ['visitor.claims.empty || false', false],
  ['visitor.claims.plan === `pro`', true],
  ['(visitor.claims.beta) && !(visitor.claims.none)', true],
]

test('every condition in the table evaluates to the expected value', () => {
  for (const [text, wanted] of table) {
    checkCondition(text)
    assert.is(evaluateCondition(text, { visitor: { claims } }), wanted, text)
  }
})

const value = fc.constantFrom(
  '"a"',
  '"b"',
  '1',
  '2.5',
  'true',
  'false',
  'null',
  'undefined',
  'visitor.claims.a',
  'visitor.claims.b',
  'visitor.claims.list',
)
const operand = fc.letrec((tie) => ({
  one: fc.oneof(
    { depthSize: 'small' },
    value,
    fc
      .tuple(value, fc.constantFrom('===', '!=='))
      .chain(([left, operator]) => value.map((right) => `(${left} ${operator} ${right})`)),
    value.map((left) => `(${left} in ["a", 1, true, null])`),
    fc.tuple(tie('one'), fc.constantFrom('&&', '||'), tie('one')).map((parts) => `(${parts.join(' ')})`),
    tie('one').map((inner) => `!${inner}`),
  ),
})).one as fc.Arbitrary<string>
const primitive = fc.constantFrom<unknown>('a', 'b', 1, 2.5, true, false, null)

test('conditions evaluate as in ECMAScript, but without type conversions', () => {
  fc.assert(
    fc.property(operand, primitive, primitive, fc.array(primitive, { maxLength: 3 }), (text, a, b, list) => {
      const visitor = { claims: { a, b, list } }
      checkCondition(text)
      // `in` on a list looks for indexes in ECMAScript, and for values here.
      const script = text.replace(/\(([^\s()]+) in (\[[^\]]*\])\)/g, '($2.includes($1))')
      assert.is(
        evaluateCondition(text, { visitor }),
        Boolean(new Function('visitor', `return ${script}`)(visitor)),
        text,
      )
    }),
    { numRuns: 500 },
  )
})
test.run()
