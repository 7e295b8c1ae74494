import { fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'

/**
 * Runs every `*.test.ts` below test/ (or those whose path holds an argument), each in its own process. uvu alone exits 0
 * when a hook throws, `.run()` is forgotten or nothing matches: here a run is green only where every registered test
 * has started and passed, every suite ran, and nothing crashed. Ends with `N passed, N failed`.
 */
const FILE_TIMEOUT_MS = 600_000
const root = new URL('..', import.meta.url).pathname
const wanted = process.argv.slice(2)

interface Report {
  registered: number
  started: number
  passed: number
  failed: number
  skipped: number
  suites: number
  run: number
  hookFailures: string[]
  crashes: string[]
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)))
  .sort()
  .map((path) => join(root, path))

/** Why a file's report is not good, one line each; empty = good. */
function complaints(report: Report | null): string[] {
  if (!report) return ['the process ended without a report (a crash, a process.exit, or the time-out)']
  const found = [...report.crashes, ...report.hookFailures]
  if (report.registered === 0) found.push('registers no test')
  if (report.run < report.suites) found.push(`${report.suites - report.run} suite(s) without .run()`)
  if (report.started < report.registered) found.push(`${report.registered - report.started} registered test(s) never started`)
  if (report.passed + report.failed < report.started) found.push('a test started and never ended')
  return found
}

function runFile(file: string): Promise<{ report: Report | null; output: string }> {
  return new Promise((resolve) => {
    const child = fork(join(root, 'support/run-file.ts'), [file], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, FORCE_COLOR: '0' },
    })
    let output = ''
    let report: Report | null = null
    const timer = setTimeout(() => child.kill('SIGKILL'), FILE_TIMEOUT_MS)
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    child.on('message', (message) => (report = message as Report))
    child.on('close', () => {
      clearTimeout(timer)
      resolve({ report, output })
    })
  })
}

let passed = 0
let failed = 0
const queue = [...files]
async function worker(): Promise<void> {
  for (let file = queue.shift(); file; file = queue.shift()) {
    const started = Date.now()
    const { report, output } = await runFile(file)
    const wrong = complaints(report)
    passed += report?.passed ?? 0
    failed += (report?.failed ?? 0) + wrong.length
    const good = wrong.length === 0 && report?.failed === 0
    console.log(`${good ? 'ok  ' : 'FAIL'} ${relative(root, file)} (${report?.passed ?? 0} passed, ${((Date.now() - started) / 1000).toFixed(1)} s)`)
    if (!good) console.log([output, ...wrong].join('\n'))
  }
}
await Promise.all(Array.from({ length: Math.max(1, Math.min(2, availableParallelism())) }, worker))

if (files.length === 0) {
  console.log('no test file matches')
  failed++
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
