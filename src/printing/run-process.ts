/** Runs the printing process with a deadline. All of its descendants end with it. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { PrintFailure } from './failure.js'

/** Heap size of the process, in MB. It contains the printed documents while they are joined. */
const HEAP_MB = 1024
/** Maximum length of the output that is kept, in characters. */
const MAX_OUTPUT = 64 * 1024

/** Compiled code is started directly; for sources, tsx must be registered first. */
const entry = (): string[] => {
  const name = import.meta.url.endsWith('.ts') ? 'print-process.ts' : 'print-process.js'
  const file = new URL(`./${name}`, import.meta.url)
  return name.endsWith('.ts') ? ['--import', import.meta.resolve('tsx'), file.pathname] : [file.pathname]
}

/**
 * Runs a command of `print-process.ts` and returns its result. Throws `PrintFailure` with the message of the process,
 * or if the deadline passes or `signal` is aborted.
 */
export function runProcess<T>(
  args: readonly string[],
  { deadlineMs, signal }: { deadlineMs: number; signal: AbortSignal },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [`--max-old-space-size=${HEAP_MB}`, `--v8-pool-size=${Math.min(2, availableParallelism())}`, ...entry(), ...args],
      {
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true,
        // The environment of the service may contain secrets.
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'], LANG: 'C.UTF-8' },
      },
    )
    let output = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-MAX_OUTPUT)))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-MAX_OUTPUT)))
    // The process may end before it reads. `close` handles that.
    child.stdin.on('error', () => undefined)
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has already ended.
      }
    }
    let reason: PrintFailure | null = null
    const stop = (why: PrintFailure): void => {
      reason ??= why
      end()
    }
    const timer = setTimeout(
      () =>
        stop(
          new PrintFailure('failed', `Printing takes longer than ${deadlineMs / 1000} seconds. Print single pages.`),
        ),
      deadlineMs,
    )
    const aborted = (): void => stop(new PrintFailure('closed', 'The service is stopping.'))
    signal.addEventListener('abort', aborted, { once: true })
    if (signal.aborted) aborted()
    child.on('error', (error) => stop(new PrintFailure('failed', error.message)))
    child.on('close', (code) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', aborted)
      end()
      const result =
        reason ??
        resultOf(output) ??
        new PrintFailure('failed', `The printing process ended with ${code}: ${errors.trim().split('\n').at(-1) ?? ''}`)
      if (result instanceof PrintFailure) reject(result)
      else resolve(result.done as T)
    })
  })
}

function resultOf(output: string): { done: unknown } | PrintFailure | null {
  try {
    const said: { done: unknown } | { failed: string } = JSON.parse(output.trim().split('\n').at(-1) ?? '')
    return 'failed' in said ? new PrintFailure('failed', said.failed) : said
  } catch {
    return null
  }
}
