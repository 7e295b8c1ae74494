import { spawn } from 'node:child_process'
import type { Duplex, Writable } from 'node:stream'

export interface GitRun {
  /** Exit code; null where it was killed. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Why it was ended before its time. */
  ended: 'timeout' | 'stopped' | null
}

export interface GitRunOptions {
  /** What is run in Git's place. */
  program?: 'git' | 'ssh-keyscan'
  env: Record<string, string>
  /** After this many milliseconds the whole process group is killed. */
  timeoutMs: number
  /** Written to descriptor 3, in the form of a credential helper's answer. */
  credential?: string
  /** No file that it writes grows beyond this; the kernel ends it (SIGXFSZ). */
  maxFileBytes?: number
  /** Given each piece of standard output instead of collecting it; `stop` ends the process. */
  onOutput?: (piece: Buffer, stop: () => void) => void
  /** Given `stop` at the start, for those who watch it from outside. */
  onStart?: (stop: () => void) => void
}

/** What is kept of an output that nobody reads piecewise; remotes can be talkative. */
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
 * A process of the same group waits on descriptor 4, which nobody ever writes to: it ends when the server does, however that
 * dies, and the group with it. A push that outlived its server would change the remote behind the next one's back.
 */
const WATCH = '(read -r _ <&4; kill -KILL 0) </dev/null >/dev/null 2>&1 3<&- &'

/** Arguments of a shell that sets the watch and becomes the program. */
function commandLine(args: readonly string[], { program = 'git', maxFileBytes }: GitRunOptions): string[] {
  const limit = maxFileBytes === undefined ? '' : `ulimit -f ${Math.ceil(maxFileBytes / 512)} && `
  return ['-c', `${WATCH}\n${limit}exec "$0" "$@" 4<&-`, program, ...args]
}

/**
 * Runs one Git process in a process group of its own, which does not outlive this process, and waits for all of it to end.
 * Plain spawn, not simple-git: that can neither kill the group (git-remote-http outlives its parent), nor hand over a private pipe, nor set a file limit.
 */
export function runGit(args: readonly string[], options: GitRunOptions): Promise<GitRun> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', commandLine(args, options), {
      env: options.env,
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', options.credential === undefined ? 'ignore' : 'pipe', 'pipe'],
    })
    const life = child.stdio[4] as Duplex
    life.on('error', () => {})
    life.resume()
    let ended: GitRun['ended'] = null
    const killGroup = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // the group has ended by itself
      }
    }
    const end = (why: 'timeout' | 'stopped'): void => {
      ended ??= why
      killGroup()
    }
    const timer = setTimeout(() => end('timeout'), Math.max(1, options.timeoutMs))
    const stdout = collector()
    const stderr = collector()
    const stop = (): void => end('stopped')
    child.stdout?.on('data', (piece: Buffer) => (options.onOutput ? options.onOutput(piece, stop) : stdout.add(piece)))
    child.stderr?.on('data', (piece: Buffer) => stderr.add(piece))
    if (options.credential !== undefined) {
      const pipe = child.stdio[3] as Writable
      // A remote that asks for no credential leaves the pipe unread.
      pipe.on('error', () => {})
      pipe.end(options.credential)
    }
    options.onStart?.(stop)
    child.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.on('exit', killGroup)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, stdout: stdout.text(), stderr: stderr.text(), ended })
    })
  })
}
