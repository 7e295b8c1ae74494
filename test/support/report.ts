import type { Tally } from './suite.js'

/** The report of a test file's process. */
export interface Report extends Tally {
  /** Errors that no test caught. */
  crashes: string[]
  processorMs: number | null
  /** Memory of the process after the file, in bytes. */
  memory: number
}

/** The reasons why a file's report is not good, one line each. Empty means good. */
export function complaints(report: Report | null): string[] {
  if (!report) return ['the process ended without a report (a crash, a process.exit, or the time-out)']
  const found = [...report.crashes, ...report.hookFailures]
  if (report.registered === 0) found.push('registers no test')
  if (report.run < report.suites) found.push(`${report.suites - report.run} suite(s) without .run()`)
  if (report.started < report.registered)
    found.push(`${report.registered - report.started} registered test(s) never started`)
  if (report.passed + report.failed < report.started) found.push('a test started and never ended')
  return found
}
