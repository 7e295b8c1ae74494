import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { seeds, size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { followComments } from './following.js'

const [test, here] = await suiteWith('comments/following', startService)

const STEPS = size(12, 100)
for (const seed of seeds(2, 10))
  test(`comments keep their blocks through ${STEPS} steps (seed ${seed})`, () =>
    followComments(seed, STEPS, async (files) => ({ desk: await openDesk(here, files) })))

test.run()
