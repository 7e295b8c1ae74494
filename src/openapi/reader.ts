/** Reads a specification in a process of its own, with limits on its time and memory: whatever it contains, the service goes on. */
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FetchFile, FromReader, ReadSpec, SpecLimits, SpecProblem, ToReader } from './messages.js'

const CHECK_MS = 200
/** Linux counts processor time in these. */
const TICKS_PER_SECOND = 100

/** What is to be read. */
interface Input {
  body: Uint8Array
  /** Where it came from; null for a text. */
  url: string | null
  /** The outline of the version before. */
  previous: Uint8Array | null
}

/** A process outlives its limits by this if nobody ends it. */
const GRACE_MS = 30_000

function startProcess({ heapMb, wallMs }: SpecLimits): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts')
  const entry = fileURLToPath(new URL(isSource ? './entry.ts' : './entry.js', import.meta.url))
  return fork(entry, [String(wallMs + GRACE_MS), String(heapMb)], {
    serialization: 'advanced',
    // The environment of the service may hold secrets.
    env: {},
    execArgv: isSource ? ['--import', import.meta.resolve('tsx')] : [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** Processor time of a process, in milliseconds; null where the system does not tell. */
function cpuOf(pid: number | undefined): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
    return ((Number(user) + Number(system)) * 1000) / TICKS_PER_SECOND
  } catch {
    return null
  }
}

const tooCostly = (what: string): SpecProblem => ({
  message: `It takes more than ${what} to read. Split it into smaller specifications.`,
})

/** Reads a specification: the bundled document, or why it cannot be used. The files that it refers to are fetched by `fetchFile`. */
export function readSpec(
  input: Input,
  limits: SpecLimits,
  fetchFile: FetchFile,
  signal?: AbortSignal,
): Promise<ReadSpec | { problem: SpecProblem }> {
  const child = startProcess(limits)
  const say = (message: ToReader): void => void (child.connected && child.send(message, () => {}))
  const began = performance.now()
  return new Promise<ReadSpec | { problem: SpecProblem }>((resolve, reject) => {
    const check = setInterval(() => {
      const wall = performance.now() - began
      const cpu = cpuOf(child.pid) ?? wall
      if (cpu > limits.cpuMs) end({ problem: tooCostly(`${limits.cpuMs / 1000} seconds`) })
      else if (wall > limits.wallMs) end({ problem: tooCostly(`${limits.wallMs / 1000} seconds`) })
    }, CHECK_MS)
    const end = (result: ReadSpec | { problem: SpecProblem } | Error): void => {
      clearInterval(check)
      signal?.removeEventListener('abort', stop)
      child.removeAllListeners()
      child.on('error', () => {})
      child.kill('SIGKILL')
      if (result instanceof Error) reject(result)
      else resolve(result)
    }
    const stop = (): void => end({ problem: { message: 'The service is stopping.' } })
    child.on('error', (error) => end(error))
    signal?.addEventListener('abort', stop)
    // Node ends a process that is out of memory or stack by a signal; one that was not ready did not end because of what it read.
    let ready = false
    child.on('exit', (code, signal) =>
      end(
        ready
          ? { problem: tooCostly(`${limits.heapMb} MB of memory`) }
          : new Error(`The reader of specifications did not start (${signal ?? code}).`),
      ),
    )
    child.on('message', (message: FromReader) => {
      if ('ready' in message) {
        ready = true
        say({ read: { ...input, resultBytes: limits.resultBytes } })
      } else if ('wanted' in message) void answer(message.wanted)
      else end('done' in message ? message.done : message)
    })
    const answer = async (wanted: string): Promise<void> => {
      try {
        say({ file: await fetchFile(wanted), wanted })
      } catch (error) {
        const { message, code } = error as Error & { code?: string }
        say({ failed: { message, code: code ?? 'FETCH_ERROR' }, wanted })
      }
    }
  })
}
