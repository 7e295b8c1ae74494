import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { compile } from './compile.js'
import { type Cost, ledgerOf, printCosts, slowness, told } from './costs.js'
import { optionsOf, shuffled, toRepeat } from './options.js'
import { LeftOut } from './left-out.js'
import { complaints } from './report.js'
import { startServiceDatabases } from './service-database.js'
import { temporaryFolder } from './temporary-folder.js'
import { isSoak } from './soak.js'
import { TestProcess } from './test-process.js'

/**
 * Runs every `*.test.ts` below test/ (or those whose path contains an argument), compiled, with several files per
 * process. uvu alone exits 0 if a hook throws, `.run()` is missing or nothing matches. Here a run is green only if
 * every registered test has started and passed, every suite ran, and nothing crashed. Ends with `N passed, N failed`.
 * Before that, `--costs` lists the cost of each file. A file that fails is run again, only for a better message: it
 * stays failed.
 */
const root = new URL('..', import.meta.url).pathname
const { wanted, costs: withCosts, shuffle } = optionsOf(process.argv.slice(2))

/** The slowest files. They start first, so that none is left to run alone at the end. */
const SLOWEST = [
  'hostile/hostile',
  'content/native-parser',
  'races/edits',
  'simulation/two-sided',
  'threads/hostile-writes',
  'git-sync/in-step',
  'commits/large-files',
  'races/lifecycle',
  'races/kill',
  'identity/cut-exports',
  'git-sync/lost-pushes',
  'git-sync/preview',
  'threads/hostile-pages',
  'git-sync/new-branch',
  'api/contract',
  'commits/many-files',
  'commits/moved-pages',
  'store/faults',
  'git/remote/hostile',
  'races/batches',
  'reviews/settled-settings',
  'kernel/estimates',
  'api/pipeline/memory',
  'api/pipeline/bounds',
]
const place = (name: string): number =>
  (SLOWEST.indexOf(name.replace('.test.ts', '')) + SLOWEST.length + 1) % (SLOWEST.length + 1)
/**
 * A file that states the reason in a comment gets its own process: it measures the process or changes it permanently.
 */
const OWN_PROCESS = '@own-process'
/**
 * A file that states `// @costly: <reason>` may take more processor time than this, in milliseconds, on the machine of
 * the ledger of costs: 20 s when it is idle, and half as much again when it is busy.
 */
const MAX_PROCESSOR_MS = 30_000
const isCostly = (name: string): boolean => /^\/\/ @costly: ./m.test(readFileSync(join(root, name), 'utf8'))
/** The files that cost too much, in a run that is long enough to know the speed of its machine. */
function tooCostly(): Cost[] {
  if (process.env.STORE !== undefined || process.env.TEST_FILE_MINUTES !== undefined) return []
  const slow = slowness(costs, ledgerOf(readFileSync(join(root, 'support/costs.txt'), 'utf8')))
  if (slow === null) return []
  return costs.filter(({ name, processorMs }) => (processorMs ?? 0) > MAX_PROCESSOR_MS * slow && !isCostly(name))
}
const needsOwnProcess = (name: string): boolean => readFileSync(join(root, name), 'utf8').includes(OWN_PROCESS)

const leftOut = new LeftOut()
const inPlace = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .filter((name) => !leftOut.isFile(name, join(root, name)))
  .sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
const files = shuffle === null ? inPlace : shuffled(inPlace, shuffle)
if (shuffle !== null) console.log(`order: --shuffle=${shuffle}`)

const compiled = await compile(join(root, '..'), ['test/support/run-files.ts', ...files.map((name) => `test/${name}`)])
const folder = temporaryFolder()
process.on('exit', () => {
  compiled.remove()
  folder.remove()
})

let passed = 0
let failed = 0
const costs: Cost[] = []
/** Maximum length of the reason of a failure at the end of the output, in characters. */
const MAX_REASON = 200
/** The failures, each with its reasons. The end of the output repeats them, because a long output is often cut at its start. */
const bad: string[] = []

/** Takes files off the queue until it is empty. */
async function worker(queue: string[]): Promise<void> {
  let shared: TestProcess | null = null
  for (let name = queue.shift(); name; name = queue.shift()) {
    const alone = needsOwnProcess(name)
    const used: TestProcess =
      (alone ? null : shared) ?? new TestProcess(compiled.path(join(root, 'support/run-files.ts')))
    const started = Date.now()
    const { report, output } = await used.run(name, compiled.path(join(root, name)))
    const wallMs = Date.now() - started
    const wrong = complaints(report)
    leftOut.cases(name, report?.leftOut)
    passed += report?.passed ?? 0
    failed += (report?.failed ?? 0) + wrong.length
    const good = wrong.length === 0 && report?.failed === 0
    const cost = { name, processorMs: report?.processorMs ?? null, wallMs }
    costs.push(cost)
    console.log(`${good ? 'ok  ' : 'FAIL'} ${name} (${report?.passed ?? 0} passed, ${told(cost)})`)
    if (!good) {
      console.log(compiled.inSources([output, ...wrong, ...used.before()].join('\n')))
      const again = await againAlone(name)
      console.log(again)
      bad.push([`${name} (${(report?.failed ?? 0) + wrong.length} failed)`, ...failuresIn(output), again].join('\n  '))
    } else if (isSoak) console.log(output.trim())
    if (alone || !good || used.worn(report)) {
      // Data of a failed test must not reach another file.
      await used.end()
      if (!alone) shared = null
    } else shared = used
  }
  await shared?.end()
}
/** Returns the title and the reason of each failed test in uvu's output. */
function failuresIn(output: string): string[] {
  const lines = stripVTControlCharacters(output).split('\n')
  return lines.flatMap((line, at) =>
    /^ {3}FAIL /.test(line) ? [`${line.trim()}: ${lines[at + 1]?.trim().slice(0, MAX_REASON) ?? ''}`] : [],
  )
}
/**
 * Whether a failed file fails again in a separate process. An intermittent failure depends on time or on earlier files.
 */
async function againAlone(name: string): Promise<string> {
  const fresh = new TestProcess(compiled.path(join(root, 'support/run-files.ts')))
  const { report } = await fresh.run(name, compiled.path(join(root, name)))
  await fresh.end()
  const good = report?.failed === 0 && complaints(report).length === 0
  return `alone, in a separate process, it ${good ? 'passes: it depends on time, or on what ran before it' : 'fails again'}; to repeat it: ${toRepeat(name)}`
}
const endDatabases = await startServiceDatabases()
const queue = [...files]
// One more than the cores, because some files mainly wait: for timeouts, locks and other processes.
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) + 1 }, () => worker(queue)))

await endDatabases()

if (files.length === 0) {
  console.log('no test file matches')
  failed++
}
if (withCosts) printCosts(costs)
for (const cost of tooCostly()) {
  failed++
  bad.push(
    `${cost.name} took ${told(cost)}. Shorten it, move long stories to scripts/soak, or state: // @costly: <reason>`,
  )
}
leftOut.print()
for (const line of bad) console.log(`FAILED: ${line}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
