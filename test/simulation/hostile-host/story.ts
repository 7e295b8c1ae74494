/**
 * Stories in which the host is hostile: it forces, deletes, renames and restores branches while people write on both
 * sides and through the Git endpoint, change requests are in every state, and the server is killed.
 */
import { Fault } from '../pull-requests/fault.js'
import { MINUTE } from '../pull-requests/world.js'
import { pick, pickWeighted, type Random, randomOfStep } from '../two-sided/random.js'
import * as host from './host.js'
import * as people from './people.js'
import { beginPlace, HELD, judge, mergeHere, openRequests, pass, type Place, settle } from './world.js'

type Step = (place: Place, next: Random) => Promise<string | null>

async function resolve(place: Place, next: Random): Promise<string | null> {
  const held = (await openRequests(place)).filter(({ subject }) => subject.startsWith(HELD))
  const one = pick(next, held)
  return one && mergeHere(place, one.number)
}

/** Steps with their frequency. */
const STEPS: readonly (readonly [number, string, Step])[] = [
  [10, 'edit', (place, next) => people.edit(place, next)],
  [12, 'push', people.pushToDoor],
  [10, 'there', people.writeThere],
  [6, 'request-open', people.openRequest],
  [8, 'request-edit', people.editRequest],
  [8, 'request-export', people.exportRequest],
  [6, 'request-merge', people.mergeRequest],
  [6, 'pull-merge', people.mergePull],
  [8, 'force', host.forcePush],
  [4, 'lose-main', host.loseMain],
  [3, 'recreate', host.recreate],
  [3, 'backup', host.backUp],
  [3, 'restore', host.restoreBackup],
  [8, 'sync', host.sync],
  [5, 'preview', host.preview],
  [5, 'lost-response', host.loseResponse],
  [6, 'kill', host.kill],
  [8, 'resolve', resolve],
  [14, 'time', (place) => pass(place, 6 * MINUTE).then(() => 'six minutes')],
  [2, 'settle', settle],
]

export interface Told {
  log: string[]
  /** The step that failed. `steps` means at the end. */
  at: number
  fault: Error | null
}

async function play(place: Place, { seed, steps }: { seed: number; steps: number }, told: Told): Promise<void> {
  const possible = STEPS.map(([weight, name, step]) => [weight, [name, step] as const] as const)
  for (let number = 0; number < steps; number++) {
    told.at = place.step = number
    const next = randomOfStep(seed, number)
    const [name, step] = pickWeighted(next, possible)
    told.log.push(`${number} ${name} …`)
    told.log[told.log.length - 1] = `${number} ${name}: ${(await step(place, next)) ?? 'nothing'}`
    await place.world.spaces.idle()
    await judge(place)
  }
  told.at = steps
  told.log.push(`end: ${await settle(place)}`)
  for (const repository of [place.world.space, place.world.remote]) {
    const said = await repository
      .git('fsck', '--strict', '--full', '--no-dangling', '--no-progress')
      .catch((error: Error) => error.message)
    if (said !== '') throw new Fault('fsck', said)
  }
}

/** Plays a story up to its end or its first fault. */
export async function playStory(options: { seed: number; steps: number }): Promise<Told> {
  const told: Told = { log: [], at: 0, fault: null }
  const place = await beginPlace()
  try {
    await play(place, options, told)
  } catch (error) {
    told.fault = error as Error
  } finally {
    await place.close()
  }
  return told
}
