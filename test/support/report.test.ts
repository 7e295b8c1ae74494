import * as assert from 'uvu/assert'
import { ledgerOf, slowness } from './costs.js'
import { complaints, type Report } from './report.js'
import { suite } from './suite.js'

const test = suite('reports of test files')

const GOOD: Report = {
  registered: 2,
  started: 2,
  passed: 2,
  failed: 0,
  skipped: 0,
  leftOut: [],
  suites: 1,
  run: 1,
  hookFailures: [],
  crashes: [],
  processorMs: 10,
  memory: 1,
}

test('a report is good only if all registered tests of all suites started and ended', () =>
  assert.equal(complaints(GOOD), []))

const bad: [why: string, report: Report | null, complaint: RegExp][] = [
  ['it is missing', null, /ended without a report/],
  ['no test is registered', { ...GOOD, registered: 0, started: 0, passed: 0 }, /registers no test/],
  ['a suite is not run', { ...GOOD, run: 0 }, /1 suite\(s\) without \.run\(\)/],
  ['a test never starts', { ...GOOD, registered: 3 }, /1 registered test\(s\) never started/],
  ['a test never ends', { ...GOOD, passed: 1 }, /never ended/],
  ['a hook fails', { ...GOOD, hookFailures: ['after: no'] }, /after: no/],
  ['an error is not caught', { ...GOOD, crashes: ['unhandled rejection: no'] }, /unhandled rejection/],
]
for (const [why, report, complaint] of bad) {
  test(`a report is not good: ${why}`, () => {
    const found = complaints(report)
    assert.is(found.length, 1)
    assert.match(found[0] as string, complaint)
  })
}

test('the limit of costs follows the speed of the machine, and is not judged by a few files', () => {
  const names = Array.from({ length: 20 }, (_, i) => `room/file-${i}.test.ts`)
  const ledger = ledgerOf(['processor  by clock', ...names.map((name) => `   10.0 s    12.5 s  ${name}`)].join('\n'))
  assert.is(ledger.size, 20)
  const run = (processorMs: number, some = names) => some.map((name) => ({ name, processorMs, wallMs: 20_000 }))
  assert.is(slowness(run(18_000), ledger), 1.8)
  assert.is(slowness(run(9_000), ledger), 1, 'a faster machine does not lower the limit')
  assert.is(
    slowness([...run(10_000, names.slice(1)), ...run(90_000, names.slice(0, 1))], ledger),
    1,
    'one file is slow',
  )
  assert.is(slowness(run(18_000, names.slice(1)), ledger), null)
})

test.run()
