/** Runs one Git process for a remote, with limits on time, output and file size, and kills it if necessary. */
import { Readable } from 'node:stream'
import type { Launcher } from '../process/launcher.js'
import type { Environment } from '../process/messages.js'
import { defined } from '../../kernel/defined.js'

export interface GitRun {
  /** Exit code; null if the process was killed. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** The reason, if this code killed the process. */
  ended: 'timeout' | 'stopped' | null
}

/** The launcher, environment and bounds of a Git process. */
export interface GitSetting {
  launcher: Launcher
  env: Record<string, string>
  /**
   * Bounds for processes that read untrusted data: their maximum processor time, and a signal that ends them. They run
   * with low priority.
   */
  bounds?: { maxCpuSeconds: number; gone?: AbortSignal }
}

/** Returns the setting with additional variables. */
export const withEnv = (git: GitSetting, more: Environment): GitSetting => ({ ...git, env: { ...git.env, ...more } })

export interface GitRunOptions {
  /** The program. Default: git. */
  program?: 'git' | 'ssh' | 'ssh-keyscan' | 'ssh-keygen' | 'gpg' | 'gpgconf'
  /** The standard input. */
  input?: Buffer | Readable
  /** The time in milliseconds after which the whole process group is killed. */
  timeoutMs: number
  /** The credential, which the process can read from descriptor 3 in the format of a credential helper. */
  credential?: string
  /** The maximum size of a file that the process may write. Beyond it, the kernel kills the process (SIGXFSZ). */
  maxFileBytes?: number
  /**
   * Whether the process only reads local data. It may then briefly outlive this process, and starts without a shell
   * that monitors it.
   */
  readsHere?: boolean
  /** Called with each piece of output, which then is not collected. `stop` kills the process. */
  onOutput?: (piece: Buffer, stop: () => void) => void
  /** Called at the start with `stop`, so that the caller can monitor the process. */
  onStart?: (stop: () => void) => void
}

/** Maximum number of collected output bytes. */
const MAX_TEXT = 256 * 1024

const collector = (): { add(piece: Buffer): void; text(): string } => {
  const pieces: Buffer[] = []
  let length = 0
  return {
    add: (piece) => {
      if (length < MAX_TEXT) pieces.push(piece)
      length += piece.length
    },
    text: () => Buffer.concat(pieces).subarray(0, MAX_TEXT).toString('utf8'),
  }
}

/**
 * Runs one Git process that connects to a remote, or reads data from one, and waits for its end. The process has its
 * own process group, which does not outlive this process unless `readsHere` is set.
 */
export async function runGit(
  { launcher, env, bounds }: GitSetting,
  args: readonly string[],
  options: GitRunOptions,
): Promise<GitRun> {
  const { program = 'git', timeoutMs, credential, maxFileBytes, readsHere, onOutput, onStart, input } = options
  const { gone, maxCpuSeconds } = bounds ?? {}
  const guard = {
    ...defined({ credential, maxFileBytes, maxCpuSeconds }),
  }
  const guarded = readsHere && !bounds ? {} : { guard }
  const running = await launcher.start(program, args, {
    cwd: '/',
    env,
    ...guarded,
    ...(bounds ? { yields: true } : {}),
  })
  let ended: GitRun['ended'] = null
  const end = (why: 'timeout' | 'stopped'): void => {
    ended ??= why
    running.kill()
  }
  const stop = (): void => end('stopped')
  const timer = setTimeout(() => end('timeout'), Math.max(1, timeoutMs))
  const stdout = collector()
  const read = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) running.stream.on(event, () => resolve())
  })
  running.stream.on('data', (piece: Buffer) => (onOutput ? onOutput(piece, stop) : stdout.add(piece)))
  if (input instanceof Readable) input.pipe(running.stream)
  else if (input === undefined) running.stream.end()
  else running.stream.end(input)
  gone?.addEventListener('abort', stop)
  if (gone?.aborted) stop()
  onStart?.(stop)
  const [{ code, signal = null, stderr }] = await Promise.all([running.ended, read])
  clearTimeout(timer)
  gone?.removeEventListener('abort', stop)
  running.stream.destroy()
  if (input instanceof Readable) input.destroy()
  return { code, signal, stdout: stdout.text(), stderr, ended }
}
