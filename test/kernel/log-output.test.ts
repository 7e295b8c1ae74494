import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { BatchedLines } from '../../src/kernel/log-output.js'
import { runCommand } from '../support/commands.js'
import { suite } from '../support/suite.js'

const test = suite('lines of the log')

function batched() {
  const written: string[] = []
  let synced = 0
  const lines = new BatchedLines({
    write: (text) => written.push(text),
    writeSync(text) {
      synced++
      written.push(text)
    },
  })
  return { log: createLog({ level: 'info', destination: lines }), lines, written, synced: () => synced }
}
const messages = (text: string): string[] => text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { msg: string }).msg]))

test('are written together, soon', async () => {
  const { log, written } = batched()
  for (const message of ['one', 'two', 'three']) log.info({}, message)
  assert.equal(written, [])
  await new Promise((done) => setTimeout(done, 50))
  assert.equal(written.map(messages), [['one', 'two', 'three']])
})

test('do not wait if they warn, or if there are many', () => {
  const { log, written } = batched()
  log.info({}, 'one')
  log.warn({}, 'two')
  assert.equal(written.map(messages), [['one', 'two']])
  for (let i = 0; i < 100; i++) log.info({ text: 'x'.repeat(1000) }, 'long')
  assert.is(written.length, 2)
})

test('are all written at the end', () => {
  const { log, lines, written, synced } = batched()
  log.info({}, 'last')
  lines.end()
  assert.equal(written.map(messages), [['last']])
  assert.is(synced(), 1)
})

for (const [how, last] of [
  ['ends', ''],
  ['exits', 'process.exit(3)'],
  ['throws', 'throw new Error("unforeseen")'],
])
  test(`of a process that ${how} are not lost`, async () => {
    const program = `import { createLog } from ${JSON.stringify(new URL('../../src/kernel/log.js', import.meta.url).href)}
      const log = createLog({ level: 'info' })
      for (let i = 0; i < 500; i++) log.info({}, String(i))
      ${last}`
    const { stdout } = await runCommand(process.execPath, ['--input-type=module', '-e', program], { cwd: process.cwd(), env: process.env })
    assert.equal(
      messages(stdout.toString()),
      Array.from({ length: 500 }, (_, i) => String(i)),
    )
  })

test.run()
