import { simulate } from '../test/identity/simulation/simulate.js'
import { startService } from '../test/support/service.js'

// Random edits, moves, merges, updates and plain-Git commits against a model (CONTRIBUTING.md):
//   scripts/simulate 20 500        20 stories of 500 steps each, seeds 1 to 20
//   scripts/simulate 1 500 7       one story from seed 7
const [simulations = 20, steps = 500, first = 1] = process.argv.slice(2).map(Number)
if (![simulations, steps, first].every((number) => Number.isInteger(number) && number > 0)) {
  console.error('usage: scripts/simulate [stories] [steps] [first seed], whole numbers from 1')
  process.exit(2)
}
let failed = 0
for (let seed = first; seed < first + simulations; seed++) {
  const here = await startService()
  const started = performance.now()
  try {
    const log = await simulate(here, seed, steps)
    const acted = log.filter((line) => !line.endsWith('nothing')).length
    console.log(`ok   seed ${seed}: ${steps} steps, ${acted} of them changes, ${((performance.now() - started) / 1000).toFixed(0)} s`)
  } catch (error) {
    failed++
    console.log(`FAIL ${(error as Error).message}`)
  } finally {
    await here.close()
  }
}
console.log(`${simulations - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
