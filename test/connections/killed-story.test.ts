import { suiteWith } from '../support/suite.js'
import { startKillable } from './killed-server.js'
import { tell } from './story.js'

/**
 * `CONNECTION_KILL_STEPS=2000 npm test -- connections/killed-story` plays a long story, `CONNECTION_SEED` another
 * one.
 */
const STEPS = Number(process.env.CONNECTION_KILL_STEPS ?? 12)
const SEED = Number(process.env.CONNECTION_SEED ?? 1)

const [test, here] = await suiteWith('connections: a two-sided story with kill -9', startKillable)

test(
  `both sides agree after ${STEPS} automatic steps with kill -9 of the server`,
  () => tell(here, { steps: STEPS, seed: SEED, crash: here }),
  {
    timeoutMs: 60_000 * Math.max(5, STEPS),
  },
)

test.run()
