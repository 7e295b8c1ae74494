import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noteNode } from '../support/by-hand.js'
import { nodeKey } from '../support/node-key.js'
import { moduleArguments } from '../support/own-process.js'
import { publishElsewhere } from '../support/second-node.js'
import { databaseSettings } from '../support/service-database.js'

export const TOKEN = 'bindery_test_admin_token_0123456789'

/**
 * The processes that a kill reaches: the server, the server and its spawning process, or all its Git processes as well.
 */
export type Reach = 'server' | 'group' | 'tree'

/** A server in its own process, as in production. */
export interface ServerProcess {
  child: ChildProcess
  url: string
  organization: string
  /** Milliseconds from the start of the process until `/readyz` returned 200. */
  readyMs: number
  /** Milliseconds of processor time that the process took until then. */
  processorMs: number
  /** All of its output. */
  output(): string
  /** Lets it finish its requests and write its checkpoints. */
  stop(): void
  /** Whether `stop` was called. */
  readonly isStopping: boolean
  kill(reach: Reach): Promise<void>
  /** Resolves with the exit code. */
  ended: Promise<number | null>
}

/**
 * Starts the command without waiting.
 * @param database of the run: the server has its key in its folder then, as `startService` does
 * @param user ID of another user to run it as
 */
export function launch(
  dir: string,
  env: Record<string, string> = {},
  database: { BINDERY_DATABASE_URL?: string } = {},
  user?: number,
): { child: ChildProcess; output: () => string; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [...moduleArguments('../../src/main.js', import.meta.url), 'serve'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user === undefined ? {} : { cwd: '/', uid: user, gid: user }),
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...(process.env.TMPDIR === undefined ? {} : { TMPDIR: process.env.TMPDIR }),
      BINDERY_PORT: '0',
      BINDERY_SITES_PORT: '0',
      BINDERY_SAMPLE_SITE: 'false',
      BINDERY_DATA_DIR: join(dir, 'data'),
      BINDERY_REPOS_DIR: join(dir, 'repos'),
      BINDERY_RATE_LIMIT_PER_MINUTE: '0',
      BINDERY_RATE_LIMIT_PER_MINUTE_ADDRESS: '0',
      BINDERY_REMOTE_PROTOCOLS: 'https,file',
      BINDERY_ADMIN_TOKEN: TOKEN,
      BINDERY_LOG_LEVEL: 'warn',
      ...nodeKey(env),
      ...database,
      ...env,
    },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return { child, output: () => said, ended }
}

/** Starts a server and waits until it is ready. Rejects with its output if it ends first. */
export async function startServer(dir: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  const database = await databaseSettings(dir)
  const { BINDERY_DATABASE_URL: databaseUrl } = { ...database, ...env }
  if (databaseUrl)
    noteNode(join(dir, 'repos'), (space, moved, copy) =>
      publishElsewhere({ dir, url: databaseUrl }, space, moved, copy),
    )
  const started = performance.now()
  const { child, output, ended } = launch(dir, env, database)
  let over = false
  void ended.then(() => (over = true))
  const match = await until(() => {
    if (over) throw new Error(`the server ended at its start: ${output()}`)
    return /ready at (\S+)[\s\S]*Organization\s+(\S+)/.exec(output())
  })
  const [, url = '', organization = ''] = match
  await until(() =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok || null,
      () => null,
    ),
  )
  const readyMs = Math.round(performance.now() - started)
  const processorMs = processorOf(child.pid as number)
  let isStopping = false
  const stop = (): void => {
    isStopping = true
    child.kill('SIGTERM')
  }
  const kill = async (reach: Reach): Promise<void> => {
    const pid = child.pid as number
    // The child processes first: once the server is gone, its spawning process ends them.
    const pids =
      reach === 'server' ? [pid] : reach === 'group' ? [pid, ...descendants(pid, 1)] : [...descendants(pid), pid]
    for (const one of pids) {
      try {
        process.kill(one, 'SIGKILL')
      } catch {
        // it has already ended
      }
    }
    await ended
  }
  return {
    child,
    url,
    organization,
    readyMs,
    processorMs,
    output,
    stop,
    get isStopping() {
      return isStopping
    },
    kill,
    ended,
  }
}

/** The unit of processor times in /proc, in milliseconds. */
const TICK_MS = 10

/** The processor time of a process and its threads, in milliseconds; 0 on a system without /proc. */
function processorOf(pid: number): number {
  if (!existsSync(`/proc/${pid}/stat`)) return 0
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // utime and stime are the fields 14 and 15. The name of the process, which may contain spaces, is field 2.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** The question is often a request to the server, which costs processor time on both sides. */
const ASK_MS = 20

/** Repeats a question until the result is not null. */
export async function until<T>(ask: () => T | null | Promise<T | null>): Promise<T> {
  for (;;) {
    const result = await ask()
    if (result !== null) return result
    await new Promise((done) => setTimeout(done, ASK_MS))
  }
}

/** The descendants of a process, down to `depth` levels. */
function descendants(pid: number, depth = Number.POSITIVE_INFINITY): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // it has just ended
    }
  }
  const below = (of: number, left: number): number[] =>
    left === 0
      ? []
      : [...parents].filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child, left - 1)])
  return below(pid, depth)
}
