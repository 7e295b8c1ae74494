import * as assert from 'uvu/assert'
import { Launcher } from '../../../src/git/process/launcher.js'
import { suiteWith } from '../../support/suite.js'

const [test, launcher] = await suiteWith('git: launcher', () => Launcher.open())

test('the output of a process that ends before it gets any input is read anyway', async () => {
  const start = launcher.start.bind(launcher)
  // On a busy machine, the process has long ended when its connection is read.
  launcher.start = async (...given) => {
    const running = await start(...given)
    await running.ended
    return running
  }
  for (const input of [undefined, '']) {
    // More than a stream reads ahead, and less than its socket can buffer.
    const { stdout } = await launcher.run(['-c', 'alias.count=!seq 20000', 'count'], {
      cwd: '/',
      ...(input === undefined ? {} : { input }),
    })
    assert.ok(stdout.toString().endsWith('\n20000\n'))
  }
})

test.run()
