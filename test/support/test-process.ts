import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { COLLECTOR } from './own-process.js'
import type { Report } from './report.js'

/** `TEST_FILE_MINUTES` raises the limit for a long story. */
const FILE_TIMEOUT_MS = Number(process.env.TEST_FILE_MINUTES ?? 25) * 60_000
/** The time that a process may take to end. */
const END_MS = 5_000
const MAX_FILES = 60
/**
 * In bytes. A fresh process has to load and warm up the service, which takes seconds of processor time, so a machine with
 * much memory starts fewer of them.
 */
const MAX_MEMORY = Math.min(1024, Math.max(640, totalmem() / 1024 ** 2 / 16)) * 1024 ** 2

/**
 * A process that runs test files one after the other, because loading the whole service costs more than a typical file.
 */
export class TestProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  /** A file, not a pipe: when the report arrives, the file contains all earlier output. */
  readonly #dir = mkdtempSync(join(tmpdir(), 'bindery-test-run-'))
  readonly #output = join(this.#dir, 'output')
  readonly #done: string[] = []

  /** @param script run-files, compiled */
  constructor(script: string) {
    const output = openSync(this.#output, 'a')
    this.#child = fork(script, {
      execArgv: COLLECTOR,
      stdio: ['ignore', output, output, 'ipc'],
      env: { ...process.env, FORCE_COLOR: '0' },
    })
    closeSync(output)
    this.#exited = once(this.#child, 'exit')
  }

  /**
   * Runs a compiled file. The report is null if the process ended, or had to be ended, before there was one.
   * @param name its name in messages about the process
   */
  async run(name: string, file: string): Promise<{ report: Report | null; output: string }> {
    truncateSync(this.#output)
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), FILE_TIMEOUT_MS)
    const reported = once(this.#child, 'message').then(([report]) => report as Report)
    this.#child.send(file, () => {})
    const report = await Promise.race([reported, this.#exited.then(() => null)])
    clearTimeout(timer)
    this.#done.push(name)
    return { report, output: readFileSync(this.#output, 'utf8') }
  }

  /** The files that ran in this process before the last one, to help find the cause of a failure. */
  before(): string[] {
    const before = this.#done.slice(0, -1)
    return before.length === 0 ? [] : [`the process had run before: ${before.join(' ')}`]
  }

  /** Whether the next file needs a fresh process. */
  worn(report: Report | null): boolean {
    return report === null || report.memory > MAX_MEMORY || this.#done.length >= MAX_FILES
  }

  async end(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS)
    if (this.#child.connected) this.#child.disconnect()
    await this.#exited
    clearTimeout(timer)
    rmSync(this.#dir, { recursive: true, force: true })
  }
}
