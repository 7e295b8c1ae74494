import { shapeOf, isApart } from '../test/simulation/two-sided/begin.js'
import { playStory, shrink, stepNames } from '../test/simulation/two-sided/story.js'

// A space and a remote, people on both sides, and what can go wrong between them, against a model of every line (CONTRIBUTING.md):
//   scripts/simulate 20 1000 --two-sided                    20 stories of 1,000 steps, seeds 1 to 20
//   scripts/simulate 1 1000 7 --two-sided --shrink          the story of seed 7; where it fails, the fewest steps that fail so
//   scripts/simulate 1 1000 7 --two-sided --only-steps 3,9  those steps alone
//   --without force,revert                                  stories without some kinds of steps; --verbose tells each step
const args = process.argv.slice(2)
const numbers: number[] = []
const flags = new Map<string, string>()
for (let at = 0; at < args.length; at++) {
  const arg = args[at] as string
  if (!arg.startsWith('--')) numbers.push(Number(arg))
  else flags.set(arg, ['--only-steps', '--without'].includes(arg) ? (args[++at] ?? '') : '')
}
const [simulations = 20, steps = 1000, first = 1] = numbers
const without = flags.get('--without')?.split(',') ?? []
const unknown = without.find((name) => !stepNames.includes(name))
if (![simulations, steps, first].every((number) => Number.isInteger(number) && number > 0) || unknown) {
  console.error(
    `usage: scripts/simulate [stories] [steps] [first seed] --two-sided [--shrink] [--only-steps 1,2] [--without ${stepNames.join(',')}] [--verbose]`,
  )
  process.exit(2)
}
const only = flags.get('--only-steps')
let failed = 0
for (let seed = first; seed < first + simulations; seed++) {
  const started = performance.now()
  const options = {
    seed,
    steps,
    without,
    ...(only ? { only: new Set(only.split(',').map(Number)) } : {}),
    ...(flags.has('--verbose') ? { tell: (line: string) => console.log(line) } : {}),
  }
  let told = await playStory(options)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const name = `seed ${seed} (${shapeOf(seed)}${isApart(seed) ? ', killed' : ''})`
  if (!told.fault) {
    console.log(`ok   ${name}: ${steps} steps, ${told.acted.length} of them did something, ${seconds} s`)
    continue
  }
  failed++
  console.log(`FAIL ${name}, step ${told.at} of ${steps}, ${seconds} s: ${told.fault.message}`)
  if (flags.has('--shrink')) told = await shrink(options, told, (line) => console.log(`     ${line}`))
  console.log(`${told.log.slice(-20).join('\n')}\n${told.fault?.stack}`)
}
console.log(`${simulations - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
