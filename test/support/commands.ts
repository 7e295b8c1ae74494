import { type ChildProcess, spawn } from 'node:child_process'
import { moduleArguments } from './own-process.js'

/** A command for command-process to run. */
export interface Asked {
  id: number
  command: string
  args: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  input: string | Buffer | undefined
}

/** The outcome of a command. The code is null if it could not start or was killed. */
export interface Ended {
  id: number
  code: number | null
  stdout: Buffer
  stderr: string
}

let helper: ChildProcess | null = null
let asked = 0
const waiting = new Map<number, (ended: Ended) => void>()

/** A process that contains a whole service takes ten milliseconds to start another one. A small process takes one. */
function startHelper(): ChildProcess {
  const child = spawn(process.execPath, moduleArguments('./command-process.js', import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  child.on('message', (ended: Ended) => {
    waiting.get(ended.id)?.(ended)
    waiting.delete(ended.id)
    keepAlive(child)
  })
  child.on('exit', () => {
    helper = null
    for (const [id, end] of waiting)
      end({ id, code: null, stdout: Buffer.alloc(0), stderr: 'the process that runs commands has ended' })
    waiting.clear()
  })
  return child
}

/** Keeps this process alive only while a request is pending. */
function keepAlive(child: ChildProcess): void {
  if (waiting.size > 0) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}

/** Runs a command to its end in a small process next to this one. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: Pick<Asked, 'cwd' | 'env'> & { input?: string | Buffer | undefined },
): Promise<Ended> {
  helper ??= startHelper()
  const id = ++asked
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    keepAlive(helper as ChildProcess)
    const { cwd, env, input } = options
    helper?.send({ id, command, args, cwd, env, input } satisfies Asked)
  })
}
