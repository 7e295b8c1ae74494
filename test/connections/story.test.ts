import { firstSeed, runs } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { startConnected } from './connected.js'
import { tell } from './story.js'

const STEPS = runs(24, 2_000)
const SEED = firstSeed()

const [test, here] = await suiteWith('connections: a two-sided story', () => startConnected())

test(
  `both sides agree after ${STEPS} steps without a manual import or export`,
  () => tell(here, { steps: STEPS, seed: SEED }),
  {
    timeoutMs: 60_000 * Math.max(5, STEPS),
  },
)

test.run()
