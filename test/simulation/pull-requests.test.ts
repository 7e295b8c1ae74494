import { suite } from '../support/suite.js'
import { playStory } from './pull-requests/story.js'

const test = suite('pull request simulation')

// Long stories: scripts/soak pull-requests (CONTRIBUTING.md).
const stories = [
  { seed: 1, merged: 5 },
  { seed: 2, merged: 5 },
]

for (const story of stories)
  test(`no line is lost in ${story.merged} pull requests of seed ${story.seed}`, async () => {
    const { fault, at, log } = await playStory(story)
    if (fault)
      throw new Error(`seed ${story.seed}, step ${at}: ${fault.message}\n${log.slice(-20).join('\n')}`, {
        cause: fault,
      })
  })

test.run()
