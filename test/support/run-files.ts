import { pathToFileURL } from 'node:url'
import { coarsenClock } from './coarse-clock.js'
import { processorMs } from './costs.js'
import type { Report } from './report.js'

// Runs the test files that the parent names, one after the other. uvu queues the suites of `.run()`, `exec` runs them,
// and the parent receives the counts.

// uvu reads these while it is loaded, hence the dynamic imports.
const shared = globalThis as unknown as { UVU_DEFER: number; UVU_QUEUE: unknown[][]; UVU_INDEX: number }
shared.UVU_DEFER = 1
shared.UVU_QUEUE = [[null]]
shared.UVU_INDEX = 0
const { exec } = await import('uvu')
const { newTally } = await import('./suite.js')

// One seed for all files, so that a run can be repeated. FC_SEED=random uses another one: the runner picks a number and
// prints it if a file fails.
const { FC_SEED = '20261121' } = process.env
;(await import('fast-check')).default.configureGlobal({ seed: Number(FC_SEED) })

// Includes errors that an earlier file left behind: blaming the wrong file is better than none.
let crashes: string[] = []
process.on('unhandledRejection', (reason) => {
  crashes.push(`unhandled rejection: ${reason instanceof Error ? reason.stack : String(reason)}`)
})

const { COARSE_CLOCK_MS } = process.env
if (COARSE_CLOCK_MS !== undefined) coarsenClock(Number(COARSE_CLOCK_MS))

let spentMs = 0
async function run(file: string): Promise<Report> {
  const tally = newTally()
  shared.UVU_QUEUE = [[null]]
  try {
    await import(pathToFileURL(file).href)
    await (exec as (bail?: boolean) => Promise<void>)(false)
  } catch (thrown) {
    crashes.push(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
  }
  const before = spentMs
  const now = processorMs()
  spentMs = now ?? 0
  const report = {
    ...tally,
    crashes,
    processorMs: now === null ? null : now - before,
    memory: process.memoryUsage.rss(),
  }
  crashes = []
  return report
}

process.on('message', (file: string) => void run(file).then((report) => process.send?.(report)))
process.on('disconnect', () => process.exit())
