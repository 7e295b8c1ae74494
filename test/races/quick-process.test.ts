import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { Launcher } from '../../src/git/process/launcher.js'
import { suite } from '../support/suite.js'

const test = suite('quick processes of a busy server')

const beBusy = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('the output of a process that ended before the first read is complete', async () => {
  const launcher = await Launcher.open()
  await launcher.mustRun(['version'], { cwd: tmpdir() })
  for (let round = 0; round < 20; round++) {
    const runs = Array.from({ length: 5 }, () => launcher.mustRun(['version'], { cwd: tmpdir() }))
    // Busy before the connection comes, and again between it and the first read.
    for (let turn = 0; turn < 6; turn++) {
      await sleep(round % 5)
      beBusy(25)
    }
    for (const text of await Promise.all(runs)) assert.match(text.toString(), /^git version /)
  }
  await launcher.close()
})

test.run()
