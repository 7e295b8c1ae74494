/** A story: a world, random combinations in it, and changes of it in between. */
import { random } from '../../simulation/two-sided/random.js'
import { buildWorld, type Here } from './build.js'
import { Leak, Remembered } from './judge.js'
import { changeWorld } from './mutations.js'
import { playCombination } from './probe.js'
import type { Situation } from './send.js'

export interface Told {
  combinations: number
  requests: number
  changes: number
  /** The leaks found, each with the combination that shows it. */
  leaks: string[]
}

/** @param combinations the number of random combinations in this world */
export async function playStory(here: Here, seed: number, combinations: number, most = 1): Promise<Told> {
  const world = await buildWorld(here, random(seed))
  const situation: Situation = { here, world, remembered: new Remembered(), seen: [], tags: new Map(), requests: 0 }
  const told: Told = { combinations: 0, requests: 0, changes: 0, leaks: [] }
  let near = {}
  while (told.combinations < combinations && told.leaks.length < most) {
    try {
      if (told.combinations % 25 === 24 && combinations - told.combinations > 5) {
        told.changes++
        near = await changeWorld(situation)
      }
      await playCombination(situation, told.combinations % 25 < 10 ? near : {})
    } catch (thrown) {
      told.leaks.push(
        `seed ${seed}, combination ${told.combinations}: ${thrown instanceof Leak ? thrown.message : (thrown as Error).stack}`,
      )
    }
    told.combinations++
  }
  told.requests = situation.requests
  return told
}
