import * as assert from 'uvu/assert'
import { suite } from '../support/suite.js'
import { TASKS } from './tenant/honest.js'
import { runAttacks } from './tenant/run.js'
import { strangerAttacks } from './tenant/attacks.js'

const test = suite('a stranger with two tokens')

/** `scripts/hostile --stranger` runs all of them, and longer. */
const SOME = ['slow pushes', 'imports from a stalled host', 'tree filters']

test(
  'an honest tenant reads, pushes, syncs and gets emails while a stranger attacks',
  async () => {
    const list = strangerAttacks.filter(({ name }) => SOME.includes(name))
    assert.is(list.length, SOME.length)
    for (const { attack, requests, experiences, health, fault } of await runAttacks(list, {
      seconds: 3,
      heapMb: 512,
    })) {
      assert.is(fault, null, attack)
      assert.ok(requests > 0, attack)
      for (const task of TASKS) {
        assert.equal(experiences[task].failures, [], attack)
        assert.ok(experiences[task].times.length > 0, `${attack}: ${task}`)
      }
      assert.is(health.failures, 0, attack)
    }
  },
  { timeoutMs: 300_000 },
)

test.run()
