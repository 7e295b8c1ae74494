import { parseArgs } from 'node:util'
import { groundHere, groundOnNodes } from '../test/identity/simulation/ground.js'
import { simulate } from '../test/identity/simulation/simulate.js'

// Simulates random edits, moves, merges, updates and plain-Git commits against a model (CONTRIBUTING.md):
//   scripts/simulate 20 500        20 stories of 500 steps each, seeds 1 to 20
//   scripts/simulate 1 500 7       one story from seed 7
//   scripts/simulate 1 500 7 --nodes 3   on three nodes with one PostgreSQL: each request to any of them
const { values, positionals } = parseArgs({ allowPositionals: true, options: { nodes: { type: 'string' } } })
const [simulations = 20, steps = 500, first = 1] = positionals.map(Number)
const nodes = values.nodes === undefined ? null : Number(values.nodes)
if (![simulations, steps, first, nodes ?? 1].every((number) => Number.isInteger(number) && number > 0)) {
  console.error('usage: scripts/simulate [stories] [steps] [first seed] [--nodes 3], whole numbers from 1')
  process.exit(2)
}
let failed = 0
for (let seed = first; seed < first + simulations; seed++) {
  const ground = nodes === null ? await groundHere() : await groundOnNodes(nodes, seed)
  const started = performance.now()
  try {
    const log = await simulate(ground, seed, steps)
    const acted = log.filter((line) => !line.endsWith('nothing')).length
    console.log(
      `ok   seed ${seed}: ${steps} steps, ${acted} of them changes, ${((performance.now() - started) / 1000).toFixed(0)} s`,
    )
  } catch (error) {
    failed++
    console.log(`FAIL ${(error as Error).message}`)
  } finally {
    await ground.close()
  }
}
console.log(`${simulations - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
