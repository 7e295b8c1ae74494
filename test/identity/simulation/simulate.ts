import type { Ground } from './ground.js'
import { Story } from './story.js'

/** Plays one story. Returns its steps. Throws at the first violation, with all earlier steps. */
export async function simulate(ground: Ground, seed: number, steps: number): Promise<readonly string[]> {
  const story = await Story.begin(ground, seed)
  const thorough = Math.max(10, Math.floor(steps / 20))
  for (let step = 0; step < steps; step++) {
    try {
      await story.step(step, thorough)
    } catch (error) {
      const failure = error as Error & { details?: string }
      failure.message = `seed ${seed}, step ${step}: ${failure.message}\n${failure.details ?? ''}\n${story.log.slice(-Number(process.env.STORY_LINES ?? 12)).join('\n')}`
      throw failure
    }
  }
  await ground.check(story.desk)
  return story.log
}
