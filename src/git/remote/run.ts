/** Runs one Git process that deals with a remote, with limits on time, output and file size, and kills it if needed. */
import { Readable } from 'node:stream'
import type { Launcher } from '../process/launcher.js'
import type { Environment } from '../process/messages.js'

export interface GitRun {
  /** Exit code; null if it was killed. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Why it was killed, if this code did it. */
  ended: 'timeout' | 'stopped' | null
}

/** The launcher, environment and bounds of a Git process. */
export interface GitSetting {
  launcher: Launcher
  env: Record<string, string>
  /** For processes that read what others have sent: their processor time, and what ends them. They give way to the service. */
  bounds?: { maxCpuSeconds: number; gone?: AbortSignal }
}

/** The same with further variables. */
export const withEnv = (git: GitSetting, more: Environment): GitSetting => ({ ...git, env: { ...git.env, ...more } })

export interface GitRunOptions {
  /** Default: git. */
  program?: 'git' | 'ssh' | 'ssh-keyscan' | 'ssh-keygen' | 'gpg' | 'gpgconf'
  /** Its standard input. */
  input?: Buffer | Readable
  /** After this many milliseconds the whole process group is killed. */
  timeoutMs: number
  /** Can be read from descriptor 3, in the form of a credential helper's output. */
  credential?: string
  /** The largest file that it may write; the kernel kills it (SIGXFSZ) at a larger one. */
  maxFileBytes?: number
  /** Whether it only reads what is here: then it may outlive this process for a moment, and starts without a shell that watches over it. */
  readsHere?: boolean
  /** Called with each piece of output, which is not collected then; `stop` kills the process. */
  onOutput?: (piece: Buffer, stop: () => void) => void
  /** Called at the start with `stop`, for watching it from outside. */
  onStart?: (stop: () => void) => void
}

/** How much output is collected. */
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
 * Runs one Git process that talks to a remote, or reads what one has sent, and waits for its end. It has a process group of its
 * own, which does not outlive this process unless `readsHere` is set.
 */
export async function runGit(
  { launcher, env, bounds }: GitSetting,
  args: readonly string[],
  options: GitRunOptions,
): Promise<GitRun> {
  const { program = 'git', timeoutMs, credential, maxFileBytes, readsHere, onOutput, onStart, input } = options
  const { gone, maxCpuSeconds } = bounds ?? {}
  const guard = {
    ...(credential === undefined ? {} : { credential }),
    ...(maxFileBytes === undefined ? {} : { maxFileBytes }),
    ...(maxCpuSeconds === undefined ? {} : { maxCpuSeconds }),
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
