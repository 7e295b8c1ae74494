import { firstSeed, runs } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { startKillable } from './killed-server.js'
import { tell } from './story.js'

const STEPS = runs(12, 700)
const SEED = firstSeed()

const [test, here] = await suiteWith('connections: a two-sided story with kill -9', startKillable)

test(
  `both sides agree after ${STEPS} automatic steps with kill -9 of the server`,
  () => tell(here, { steps: STEPS, seed: SEED, crash: here }),
  {
    timeoutMs: 60_000 * Math.max(5, STEPS),
  },
)

test.run()
