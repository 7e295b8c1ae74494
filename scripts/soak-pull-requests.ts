import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compile } from '../test/support/compile.js'
import { temporaryFolder } from '../test/support/temporary-folder.js'

const USAGE = `Plays a space and a repository whose pull requests people merge, revert and cherry-pick, against a model of every line.
  scripts/soak pull-requests [merged pull requests] [seed]    plays until this number of pull requests is merged (default: 20, seed 1)
  --seeds 5             plays five stories, starting with that seed
  --shrink              finds the fewest steps with which a story fails in the same way
  --only-steps 3,9      plays only these steps
  --without kill,reset  omits some kinds of steps
  --verbose             prints each step`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1' },
    shrink: { type: 'boolean' },
    'only-steps': { type: 'string' },
    without: { type: 'string', default: '' },
    verbose: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
const [merged = 20, first = 1] = positionals.map(Number)
const seeds = Number(values.seeds)
if (values.help || ![merged, first, seeds].every((number) => Number.isInteger(number) && number > 0)) {
  console.error(USAGE)
  process.exit(values.help ? 0 : 2)
}
const folder = temporaryFolder()
const compiled = await compile(join(import.meta.dirname, '..'), ['test/simulation/pull-requests/story.ts'])
process.once('exit', () => {
  compiled.remove()
  folder.remove()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const { playStory, shrink, stepNames }: typeof import('../test/simulation/pull-requests/story.js') = await import(
  compiled.path(join(import.meta.dirname, '../test/simulation/pull-requests/story.ts'))
)
const without = values.without.split(',').filter((name) => name !== '')
const unknown = without.find((name) => !stepNames.includes(name))
if (unknown !== undefined) {
  console.error(`There is no step kind ${unknown}. Use one of ${stepNames.join(', ')}`)
  process.exit(2)
}
let failed = 0
for (let seed = first; seed < first + seeds; seed++) {
  const started = performance.now()
  const only = values['only-steps']
  const options = {
    seed,
    merged,
    without,
    ...(only === undefined ? {} : { only: new Set(only.split(',').map(Number)) }),
    ...(values.verbose ? { tell: (line: string) => console.log(line) } : {}),
  }
  let told = await playStory(options)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const summary = `seed ${seed}: ${told.merged} pull requests merged, ${told.acted.length} steps, ${seconds} s`
  if (!told.fault) {
    console.log(`ok   ${summary}`)
    continue
  }
  failed++
  console.log(`FAIL ${summary}; step ${told.at}: ${told.fault.message}`)
  const { tell: _tell, ...quietly } = options
  if (values.shrink) told = await shrink(quietly, told, (line) => console.log(`     ${line}`))
  console.log(`${told.log.slice(-30).join('\n')}\n${compiled.inSources(told.fault?.stack ?? '')}`)
}
console.log(`${seeds - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
