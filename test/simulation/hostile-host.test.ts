import { seeds, size } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { playStory } from './hostile-host/story.js'

const test = suite('hostile host simulation')

const stories = seeds(1, 10).map((seed) => ({ seed, steps: size(25, 250) }))

for (const story of stories)
  test(
    `no acknowledged line is lost in ${story.steps} steps with a hostile host, seed ${story.seed}`,
    async () => {
      const { fault, at, log } = await playStory(story)
      if (fault)
        throw new Error(`seed ${story.seed}, step ${at}: ${fault.message}\n${log.slice(-30).join('\n')}`, {
          cause: fault,
        })
    },
    { timeoutMs: 60_000 * story.steps },
  )

test.run()
