import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { checkCondition, MAX_CONDITION_LENGTH } from '../../src/content/conditions/check.js'
import { ConditionError } from '../../src/content/conditions/error.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'

const test = suite('content: conditions')

/** Returns the error for a text, or null. Any other exception fails the test. */
function errorOf(text: string): ConditionError | null {
  try {
    checkCondition(text)
    return null
  } catch (error) {
    if (error instanceof ConditionError) return error
    throw error
  }
}

const good = [
  'visitor.claims.unsigned.isBeta == true && "x" in visitor.claims.groups',
  'visitor.claims.isBeta',
  '!visitor.claims.isBeta',
  '!(visitor.claims.a || visitor.claims.b) && !visitor.claims.c',
  "visitor.claims.plan === 'pro'",
  'visitor.claims.plan !== `pro`',
  'visitor.claims["my claim"]["inner"] != null',
  'visitor["claims"].a',
  'visitor.claims?.unsigned?.isBeta',
  'visitor.claims.age >= 18 && visitor.claims.age < 65.5',
  'visitor.claims.debt < -1',
  'visitor.claims.a == undefined',
  'visitor.claims.plan in ["pro", "enterprise"]',
  'visitor.claims.groups.includes("x")',
  '(visitor.claims.groups)?.includes("x")',
  '["pro", "free"].includes(visitor.claims.plan)',
  '"groups" in visitor.claims',
  'visitor.claims.a\n  && visitor.claims.b',
  ' true ',
  'visitor.claims.größe > 3',
  `${'('.repeat(40)}visitor.claims.a${')'.repeat(40)}`,
  Array.from({ length: 50 }, (_, i) => `visitor.claims.a${i}`)
    .join('||')
    .slice(0, 1000),
]
for (const text of good)
  test(`a condition is accepted: ${text.slice(0, 80)}`, () => assert.is(errorOf(text)?.message, undefined))

const bad: [text: string, at: string, reason: RegExp][] = [
  ['', '1:1', /empty/],
  [' \n ', '1:1', /empty/],
  ['isBeta', '1:1', /isBeta is not known.*visitor\.claims/],
  ['visitor', '1:1', /not known/],
  ['visitor.claims', '1:1', /name the claim/],
  ['visitor.name', '1:1', /below visitor\.claims/],
  ['process.env.HOME', '1:1', /below visitor\.claims/],
  ['visitor.claims.a = true', '1:1', /compare with ==/],
  ['visitor.claims.a &&\n  visitor.claims.b ==', '2:22', /Unexpected token/],
  ['visitor.claims.a visitor.claims.b', '1:18', /ended before this/],
  ['visitor.claims.a; visitor.claims.b', '1:17', /ended before this/],
  ['visitor.claims.a // why', '1:18', /cannot have comments/],
  ['/* why */ visitor.claims.a', '1:1', /cannot have comments/],
  ['visitor.claims.a, visitor.claims.b', '1:1', /cannot be used/],
  ['(visitor.claims.a, 1)', '1:2', /cannot be used/],
  ['visitor.claims.a ? 1 : 2', '1:1', /cannot be used/],
  ['visitor.claims.a ?? true', '1:1', /\?\? cannot be used/],
  ['visitor.claims.a + 1 == 2', '1:1', /operator \+/],
  ['typeof visitor.claims.a == "string"', '1:1', /operator typeof/],
  ['delete visitor.claims.a', '1:1', /operator delete/],
  ['+visitor.claims.a', '1:1', /operator \+/],
  ['-visitor.claims.a < 1', '1:1', /operator -/],
  ['visitor.claims.a instanceof visitor.claims.b', '1:1', /operator instanceof/],
  ['visitor.claims.a++', '1:1', /cannot be used/],
  ['/^a+$/ == visitor.claims.a', '1:1', /regular expressions/],
  ['visitor.claims.a == 10n', '1:21', /too large/],
  ['visitor.claims.a < 1e999', '1:20', /too large/],
  ['`$' + '{visitor.claims.a}` == "x"', '1:1', /cannot contain expressions/],
  ['alert(1)', '1:1', /functions cannot be called/],
  ['visitor.claims.a.toString()', '1:1', /functions cannot be called/],
  ['visitor.claims.a["includes"]("x")', '1:1', /functions cannot be called/],
  ['visitor.claims.a.includes("x", 1)', '1:1', /exactly one/],
  ['visitor.claims.a.includes()', '1:1', /exactly one/],
  ['visitor.claims.a.includes(...visitor.claims.b)', '1:27', /cannot be used/],
  ['"abc".includes(visitor.claims.a)', '1:1', /claim or a list/],
  ['import("x")', '1:1', /cannot be used/],
  ['new Date()', '1:1', /cannot be used/],
  ['(() => true)()', '1:1', /functions cannot be called/],
  ['function () {}', '1:1', /cannot be used|Unexpected/],
  ['this.visitor', '1:1', /below visitor\.claims/],
  ['{}', '1:1', /cannot be used/],
  ['"x" in "xyz"', '1:8', /claim or a list/],
  ['visitor.claims.a in [[1]]', '1:22', /a list can contain only/],
  ['visitor.claims.a in [1,,2]', '1:21', /a list can contain only/],
  ['[visitor.claims.a].includes(1)', '1:2', /cannot be used/],
  ['visitor.claims[visitor.claims.a]', '1:16', /string in quotes/],
  ['visitor.claims[0]', '1:16', /string in quotes/],
  ['visitor.claims.__proto__.polluted', '1:16', /__proto__ cannot be the name/],
  ['visitor.claims["__proto__"]', '1:16', /__proto__ cannot be the name/],
  ['visitor.claims["\\u005f_proto__"]', '1:16', /__proto__ cannot be the name/],
  ['visitor.claims.a.constructor.constructor("return 1")', '1:1', /functions cannot be called/],
  ['visitor.claims.constructor', '1:16', /constructor cannot be the name/],
  ['visitor.claims.a.prototype == 1', '1:18', /prototype cannot be the name/],
  ['visitor.claims.#a', '1:16', /./],
  ['"unfinished', '1:1', /Unterminated string/],
  ['await visitor.claims.a', '1:7', /ended before this/],
  ['x'.repeat(MAX_CONDITION_LENGTH + 1), '1:1', /has 1025 characters/],
  [`${'!'.repeat(200)}visitor.claims.a`, '1:102', /nested more than/],
  [`${'('.repeat(500)}1${')'.repeat(500)}`, '1:102', /nested/],
]
for (const [text, at, reason] of bad)
  test(`a condition is rejected: ${text.slice(0, 60)}`, () => {
    const error = errorOf(text)
    assert.ok(error, 'was taken')
    assert.match(error.message, reason)
    assert.is(`${error.line}:${error.column}`, at)
  })

test('excessive nesting is rejected with a specific error', () => {
  const openings = [
    '(',
    '[',
    '{',
    '!',
    '-',
    'a=>',
    'a?',
    'a=',
    'new ',
    'a**',
    '`$' + '{',
    'function(){',
    '"x" in ',
    'a[',
    'a(',
    '...',
    'async()=>{',
    'class{[',
  ]
  for (const opening of openings) {
    const text = opening.repeat(Math.floor(MAX_CONDITION_LENGTH / opening.length))
    assert.ok(errorOf(text), opening)
  }
})

const words = [
  ...'()[]{}!&|=<>.,;:?+-*/%^~`$\\\'"#@ \n\t\u2028é😀',
  '&&',
  '||',
  '==',
  '===',
  '!=',
  'in',
  'visitor',
  '.claims',
  'true',
  'null',
  '"a"',
  '12',
  '=>',
  '?.',
  '...',
  '__proto__',
  'function',
  'class',
  'async',
  'await',
  'yield',
  'import',
  'new',
  '<!--',
  '-->',
  '/*',
  '/a/',
  '0x',
  '1e9',
  '\\u0041',
  '\ud800',
  'includes',
]

test('random text is accepted, or rejected with an error at a position within the text', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 60 }),
    unicodeText({ maxLength: 60 }),
    fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, (candidate) => {
      const error = errorOf(candidate)
      if (!error) return
      const lines = candidate.split(/\r\n|[\r\n\u2028\u2029]/)
      assert.ok(error.line >= 1 && error.line <= lines.length, `line ${error.line}`)
      assert.ok(error.column >= 1 && error.column <= (lines[error.line - 1]?.length ?? 0) + 2, `column ${error.column}`)
    }),
    { numRuns: 3000 },
  )
})

test('text that is built from the grammar is accepted', () => {
  const path = fc
    .array(fc.constantFrom('a', 'unsigned', 'Über', 'x y', '"', '\\'), { minLength: 1, maxLength: 3 })
    .map((names) => `visitor.claims${names.map((name) => `[${JSON.stringify(name)}]`).join('')}`)
  const constant = fc.oneof(
    fc.string({ maxLength: 8 }).map((value) => JSON.stringify(value)),
    fc.integer().map(String),
    fc.constantFrom('true', 'false', 'null', 'undefined'),
  )
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 4 },
      path,
      constant,
      fc
        .tuple(path, fc.constantFrom('==', '!=', '===', '!==', '<', '<=', '>', '>='), constant)
        .map((parts) => parts.join(' ')),
      fc.tuple(constant, path).map((parts) => parts.join(' in ')),
      tie('expression').map((inner) => `!(${inner})`),
      fc
        .tuple(tie('expression'), fc.constantFrom('&&', '||'), tie('expression'))
        .map(([left, operator, right]) => `(${left}) ${operator} (${right})`),
    ),
  }))
  fc.assert(
    fc.property(expression, (text) =>
      assert.is([...text].length > MAX_CONDITION_LENGTH ? undefined : errorOf(text)?.message, undefined),
    ),
    { numRuns: 500 },
  )
})

test.run()
