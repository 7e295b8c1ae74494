import * as assert from 'uvu/assert'
import { MAX_ENTRIES } from '../../../src/content/work/summary-rows.js'
import { tasks } from '../../../src/content/work/tasks.js'
import { TextTooCostly } from '../../../src/content/work/text-work.js'
import { suite } from '../../support/suite.js'

const test = suite('number of entries in a table of contents')

const entries = (count: number): string => '* [Same]()\n'.repeat(count)

test('a table of contents with too many entries is not read', () => {
  const lines = String(tasks.summary?.(entries(MAX_ENTRIES)))
  assert.is(
    lines
      .split('\n')
      .slice(1)
      .flatMap((line) => JSON.parse(line) as unknown[]).length,
    MAX_ENTRIES,
  )
  assert.throws(
    () => tasks.summary?.(entries(MAX_ENTRIES + 1)),
    (error: Error) => error instanceof TextTooCostly && error.message.includes(String(MAX_ENTRIES)),
  )
})

test.run()
