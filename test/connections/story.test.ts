import { suiteWith } from '../support/suite.js'
import { startConnected } from './connected.js'
import { tell } from './story.js'

/** `CONNECTION_STEPS=2000 npm test -- connections/story` plays a long story, `CONNECTION_SEED` another one. */
const STEPS = Number(process.env.CONNECTION_STEPS ?? 24)
const SEED = Number(process.env.CONNECTION_SEED ?? 1)

const [test, here] = await suiteWith('connections: a two-sided story', () => startConnected())

test(
  `both sides agree after ${STEPS} steps without a manual import or export`,
  () => tell(here, { steps: STEPS, seed: SEED }),
  {
    timeoutMs: 60_000 * Math.max(5, STEPS),
  },
)

test.run()
