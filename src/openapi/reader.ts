/**
 * Reads a specification in a separate process with limits for time and memory, so that no content can affect the
 * service.
 */
import { asError, errorCode } from '../kernel/thrown.js'
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FetchFile, FromReader, ReadSpec, SpecLimits, SpecProblem, ToReader } from './messages.js'

const CHECK_MS = 200
/** The unit in which Linux reports processor time. */
const TICKS_PER_SECOND = 100

/** The input of the reader. */
interface Input {
  body: Uint8Array
  /** The source URL; null for a text. */
  url: string | null
  /** The outline of the previous version. */
  previous: Uint8Array | null
}

/** Time after its limits when the process ends by itself, if the service did not end it. */
const GRACE_MS = 30_000

function startProcess({ heapMb, wallMs }: SpecLimits): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts')
  const entry = fileURLToPath(new URL(isSource ? './entry.ts' : './entry.js', import.meta.url))
  return fork(entry, [String(wallMs + GRACE_MS), String(heapMb)], {
    serialization: 'advanced',
    // The environment of the service may contain secrets.
    env: {},
    execArgv: isSource ? ['--import', import.meta.resolve('tsx')] : [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** Returns the processor time of a process, in milliseconds; null if the system does not report it. */
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

/**
 * Reads a specification. Returns the bundled document, or the reason why it cannot be used. `fetchFile` fetches the
 * referenced files.
 */
export function readSpec(
  input: Input,
  limits: SpecLimits,
  fetchFile: FetchFile,
  signal?: AbortSignal,
): Promise<ReadSpec | { problem: SpecProblem }> {
  const child = startProcess(limits)
  const say = (message: ToReader): void => void (child.connected && child.send(message, () => {}))
  const startedAt = performance.now()
  return new Promise<ReadSpec | { problem: SpecProblem }>((resolve, reject) => {
    const check = setInterval(() => {
      const wall = performance.now() - startedAt
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
    // Node ends a process that is out of memory or stack with a signal. A process that was not ready did not end
    // because of its input.
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
      } else if ('wanted' in message) void sendFile(message.wanted)
      else end('done' in message ? message.done : message)
    })
    const sendFile = async (wanted: string): Promise<void> => {
      try {
        say({ file: await fetchFile(wanted), wanted })
      } catch (error) {
        say({ failed: { message: asError(error).message, code: errorCode(error) ?? 'FETCH_ERROR' }, wanted })
      }
    }
  })
}
