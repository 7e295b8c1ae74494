/** Runs the attacks one by one, while the honest tenant works and /healthz is watched. */
import { setMaxListeners } from 'node:events'
import { type Health, peakMemory, watchHealth } from '../watch.js'
import { type Place, openPlace } from './place.js'
import { type Experiences, honestTenant, live } from './honest.js'
import type { StrangerAttack } from './attacks.js'

export interface Outcome {
  attack: string
  /** Number of requests of the stranger. */
  requests: number
  experiences: Experiences
  health: Health
  peakMb: number | null
  /** The reason why the attack ended early. */
  fault: string | null
}

/** @param seconds duration of each attack; preparations are not counted */
export async function runAttacks(
  list: readonly StrangerAttack[],
  { seconds, heapMb, told }: { seconds: number; heapMb: number; told?: (outcome: Outcome) => void },
): Promise<Outcome[]> {
  const place = await openPlace(heapMb)
  try {
    const tasks = await honestTenant(place)
    const outcomes: Outcome[] = []
    for (const attack of list) {
      const outcome = await withOne(place, attack, seconds, tasks)
      outcomes.push(outcome)
      told?.(outcome)
    }
    return outcomes
  } finally {
    await place.close()
  }
}

async function withOne(
  place: Place,
  attack: StrangerAttack,
  seconds: number,
  tasks: Awaited<ReturnType<typeof honestTenant>>,
): Promise<Outcome> {
  const faults: string[] = []
  const noted = (error: Error): null => {
    faults.push(error.message)
    return null
  }
  const steps = await attack.prepare(place).catch(noted)
  const health = watchHealth(place.server.url, 100)
  const over = new AbortController()
  // Each step listens for the end.
  setMaxListeners(0, over.signal)
  const timer = setTimeout(() => over.abort(), seconds * 1000)
  let requests = 0
  const lanes = (steps ?? []).map(async (step) => {
    while (!over.signal.aborted) {
      requests++
      await step(over.signal).catch((error: Error) => (over.signal.aborted ? null : noted(error)))
    }
  })
  const experiences = await live(tasks, over.signal)
  await Promise.all(lanes)
  clearTimeout(timer)
  return {
    attack: attack.name,
    requests,
    experiences,
    health: await health.stop(),
    peakMb: peakMemory(place.server.child.pid as number),
    fault: faults[0] ?? null,
  }
}
