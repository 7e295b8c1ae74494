import * as assert from 'uvu/assert'
import { Debouncer } from '../../src/jobs/debounce.js'
import { suite } from '../support/suite.js'

const test = suite('debounced work')
const never = (error: unknown): void => {
  throw error
}

test('one run serves all earlier requests, and later requests get another run', async () => {
  const soon = new Debouncer(5, never)
  const done: string[] = []
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const began = new Promise<void>((begin) => {
    const task = async (): Promise<void> => {
      begin()
      await held
      done.push('first')
    }
    for (let i = 0; i < 3; i++) soon.schedule('a', task)
    soon.schedule('b', async () => done.push('other'))
  })
  await began
  soon.schedule('a', async () => done.push('second'))
  release()
  await soon.idle()
  assert.equal(done.sort(), ['first', 'other', 'second'])
  assert.not(soon.busy)
})

test('no task starts after the stop, which waits for running tasks', async () => {
  const soon = new Debouncer(5, never)
  const done: string[] = []
  soon.run(async () => {
    await new Promise(setImmediate)
    done.push('began')
  })
  soon.schedule('late', async () => done.push('late'))
  const idle = soon.idle()
  await soon.stop()
  soon.schedule('after', async () => done.push('after'))
  soon.run(async () => done.push('after'))
  await idle
  assert.equal(done, ['began'])
})

test('errors of a task are reported, but not during a stop', async () => {
  const failures: unknown[] = []
  const soon = new Debouncer(0, (error) => failures.push(error))
  soon.schedule('a', async () => {
    throw new Error('one')
  })
  await soon.idle()
  soon.run(async () => {
    await new Promise(setImmediate)
    throw new Error('two')
  })
  await soon.stop()
  assert.equal(failures.map(String), ['Error: one'])
})

test('hundreds of waiting callers cause no Node.js warning', async () => {
  const warnings: string[] = []
  const note = (warning: Error): void => void warnings.push(warning.name)
  process.on('warning', note)
  const soon = new Debouncer(5, never)
  let count = 0
  for (let i = 0; i < 300; i++) soon.schedule(String(i), async () => count++)
  await soon.idle()
  await new Promise(setImmediate)
  process.off('warning', note)
  assert.is(count, 300)
  assert.equal(warnings, [])
})

test.run()
