import { join } from 'node:path'
import { compile } from '../test/support/compile.js'
import { temporaryFolder } from '../test/support/temporary-folder.js'

// Simulates a space and a remote with people and faults on both sides, against a model of every line (CONTRIBUTING.md):
//   scripts/simulate 20 1000 --two-sided                    20 stories of 1,000 steps, seeds 1 to 20
//   scripts/simulate 1 1000 7 --two-sided --shrink          the story of seed 7; if it fails, the fewest steps with the same failure
//   scripts/simulate 1 1000 7 --two-sided --only-steps 3,9  only those steps
//   --without force,revert                                  stories without some kinds of steps; --verbose tells each step
//   --save FOLDER --every 50                                saves the world in FOLDER/SEED/50, …/100, and the point of failure in …/failed
//   scripts/simulate 1 1000 7 --two-sided --from FOLDER/7/500   continues from there with the current code
//   scripts/simulate 1 300 7 --two-sided --nodes 3              on three nodes with one PostgreSQL: each request to any, kills of one, lost disks
const folder = temporaryFolder()
const stories = 'test/simulation/two-sided'
const compiled = await compile(join(import.meta.dirname, '..'), [`${stories}/begin.ts`, `${stories}/story.ts`])
process.once('exit', () => {
  compiled.remove()
  folder.remove()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const load = (name: string): Promise<unknown> => import(compiled.path(join(import.meta.dirname, '..', stories, name)))
const { shapeOf, isApart } = (await load('begin.ts')) as typeof import('../test/simulation/two-sided/begin.js')
const { playStory, shrink, stepNames } = (await load(
  'story.ts',
)) as typeof import('../test/simulation/two-sided/story.js')
const args = process.argv.slice(2)
const numbers: number[] = []
const flags = new Map<string, string>()
for (let at = 0; at < args.length; at++) {
  const arg = args[at] as string
  if (!arg.startsWith('--')) numbers.push(Number(arg))
  else
    flags.set(
      arg,
      ['--only-steps', '--without', '--save', '--every', '--from', '--nodes'].includes(arg) ? (args[++at] ?? '') : '',
    )
}
const [simulations = 20, steps = 1000, first = 1] = numbers
const without = flags.get('--without')?.split(',') ?? []
const unknown = without.find((name) => !stepNames.includes(name))
const nodes = flags.has('--nodes') ? Number(flags.get('--nodes')) : null
const numeric = [simulations, steps, first, nodes ?? 1].every((number) => Number.isInteger(number) && number > 0)
if (!numeric || unknown || (nodes !== null && (flags.has('--save') || flags.has('--from')))) {
  console.error(
    `usage: scripts/simulate [stories] [steps] [first seed] --two-sided [--shrink] [--only-steps 1,2] [--without ${stepNames.join(',')}] [--save FOLDER [--every 100]] [--from FOLDER] [--verbose]; or --nodes 3 in place of --save and --from`,
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
    ...(nodes === null ? {} : { nodes }),
    ...(only ? { only: new Set(only.split(',').map(Number)) } : {}),
    ...(flags.has('--from') ? { from: flags.get('--from') as string } : {}),
    ...(flags.has('--save')
      ? {
          save: {
            folder: join(flags.get('--save') as string, String(seed)),
            every: Number(flags.get('--every') ?? 100),
          },
        }
      : {}),
    ...(flags.has('--verbose') ? { tell: (line: string) => console.log(line) } : {}),
  }
  let told = await playStory(options)
  const { save: _saved, ...again } = options
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const name = `seed ${seed} (${shapeOf(seed)}${nodes !== null ? `, ${nodes} nodes` : isApart(seed) ? ', killed' : ''})`
  if (!told.fault) {
    console.log(
      `ok   ${name}: ${steps} steps, ${told.acted.length} of them had an effect, ${told.conflicts.all} pages in conflict, ${told.conflicts.unclear} possibly unnecessary, ${seconds} s`,
    )
    continue
  }
  failed++
  console.log(`FAIL ${name}, step ${told.at} of ${steps}, ${seconds} s: ${told.fault.message}`)
  if (flags.has('--shrink')) told = await shrink(again, told, (line) => console.log(`     ${line}`))
  console.log(`${told.log.slice(-20).join('\n')}\n${compiled.inSources(told.fault?.stack ?? '')}`)
}
console.log(`${simulations - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
