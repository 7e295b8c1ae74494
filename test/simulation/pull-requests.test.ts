import { seeds, size } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { playStory } from './pull-requests/story.js'

const test = suite('pull request simulation')

const stories = seeds(1, 10).map((seed) => ({ seed, merged: size(5, 50) }))

for (const story of stories)
  test(`no line is lost in ${story.merged} pull requests of seed ${story.seed}`, async () => {
    const { fault, at, log } = await playStory(story)
    if (fault)
      throw new Error(`seed ${story.seed}, step ${at}: ${fault.message}\n${log.slice(-20).join('\n')}`, {
        cause: fault,
      })
  })

test.run()
