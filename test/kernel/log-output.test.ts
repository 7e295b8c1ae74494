import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { BatchedLines } from '../../src/kernel/log-output.js'
import { runCommand } from '../support/commands.js'
import { suite } from '../support/suite.js'

const test = suite('log lines')

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
const messages = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { msg: string }).msg]))

test('log lines are written together after a short delay', async () => {
  const { log, written } = batched()
  for (const message of ['one', 'two', 'three']) log.info({}, message)
  assert.equal(written, [])
  await new Promise((done) => setTimeout(done, 50))
  assert.equal(written.map(messages), [['one', 'two', 'three']])
})

test('a warning, or a large number of waiting lines, is written immediately', () => {
  const { log, written } = batched()
  log.info({}, 'one')
  log.warn({}, 'two')
  assert.equal(written.map(messages), [['one', 'two']])
  for (let i = 0; i < 100; i++) log.info({ text: 'x'.repeat(1000) }, 'long')
  assert.is(written.length, 2)
})

test('lines that are formatted with their batch keep their order, time and fields', async () => {
  const { log, lines, written, synced } = batched()
  const times = (text: string): string[] =>
    text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { time: string }).time]))
  let made = 0
  const later = (message: string): void =>
    log.child({ part: 'x' }).later(() => ({ number: ++made, text: '"quoted"' }), message)
  const before = new Date().toISOString()
  later('one')
  const after = new Date().toISOString()
  assert.is(made, 0)
  log.info({}, 'two')
  later('three')
  await new Promise((done) => setTimeout(done, 50))
  assert.equal(written.map(messages), [['one', 'two', 'three']])
  const [first = ''] = times(written[0] as string)
  assert.ok(before <= first && first <= after, first)
  assert.equal(
    { ...JSON.parse((written[0] as string).split('\n')[0] as string), time: '' },
    { level: 'info', time: '', part: 'x', number: 1, text: '"quoted"', msg: 'one' },
  )
  later('four')
  log.warn({}, 'five')
  assert.equal(messages(written[1] as string), ['four', 'five'])
  for (let i = 0; i < 250; i++) later('many')
  assert.is(messages(written[2] as string).length, 200)
  lines.end()
  assert.is(messages(written[3] as string).length, 50)
  assert.is(synced(), 1)
})

test('deferred lines below the level are never formatted', () => {
  const log = createLog({ level: 'warn', destination: { write: () => assert.unreachable() } })
  log.later(() => assert.unreachable() as never, 'nothing')
  assert.ok(true)
})

test('all log lines are written at the end', () => {
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
  test(`log lines of a process that ${how} are not lost`, async () => {
    const program = `import { createLog } from ${JSON.stringify(new URL('../../src/kernel/log.js', import.meta.url).href)}
      const log = createLog({ level: 'info' })
      for (let i = 0; i < 500; i++) log.info({}, String(i))
      ${last}`
    const { stdout } = await runCommand(process.execPath, ['--input-type=module', '-e', program], {
      cwd: process.cwd(),
      env: process.env,
    })
    assert.equal(
      messages(stdout.toString()),
      Array.from({ length: 500 }, (_, i) => String(i)),
    )
  })

test.run()
