/** Starts Git processes, waits for their end, and kills those that take too long or print too much. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { constants, setPriority, tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { currentTracing } from '../../kernel/traces.js'
import { GitError } from '../errors.js'
import { gitOptions, hermeticEnvironment } from './environment.js'
import { type Environment, type FromSpawner, type Guard, ID_BYTES, type ToSpawner } from './messages.js'

/** The end of a process. `failure` is the reason why it was killed or did not start. */
interface Ending {
  code: number | null
  stderr: string
  /** The signal that ended the process. */
  signal?: NodeJS.Signals
  failure?: string
}
/** A process whose stdin and stdout are one stream. */
export interface Running {
  readonly stream: Socket
  readonly ended: Promise<Ending>
  /** Kills the whole process group. */
  kill(): void
  /** Lowers the priority of the process below that of the service, until it ends. */
  yield(): void
}
export interface Finished extends Ending {
  stdout: Buffer
}
interface StartOptions {
  cwd: string
  env?: Environment
  /** Settings for a process that connects to a remote, or reads untrusted data. */
  guard?: Guard
  /** Whether the process has a lower priority than the service. */
  yields?: boolean
}
interface RunOptions extends StartOptions {
  /** The standard input. */
  input?: string | Buffer
  /** The time in milliseconds after which the process group is killed. Default: one minute. */
  timeoutMs?: number
  /** The number of stdout bytes after which the process is killed. Default: 256 MiB. */
  maxBytes?: number
}
/** The error for a process that was killed because its output was longer than allowed. */
export class TooMuchOutput extends GitError {}

/** Time in milliseconds after which the spawning process is killed and replaced if it has not started a process. */
const START_MS = 30_000

/** The folders of open launchers. A process that exits without closing a launcher still removes its folder. */
// bound: the open launchers
const folders = new Set<string>()
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

interface Run {
  pid: number
  stream: Socket | null
  over: boolean
  connected(stream: Socket): void
  end(ending: Ending): void
}

/** Returns the name of a process in traces: `git fetch`. Its arguments may name people, texts and secrets. */
function nameOf(command: string, args: readonly string[]): string {
  const subcommand = args.find((arg, at) => /^[a-z][a-z-]*$/.test(arg) && arg !== 'git' && args[at - 1] !== '-c')
  return command === 'git' || args.includes('git') ? `git ${subcommand ?? ''}`.trim() : 'process'
}

/**
 * Starts Git processes through the spawning process (`spawner.ts`), which is started on demand. If it dies, it is
 * started again, and its processes end with a failure.
 */
export class Launcher {
  readonly #dir = mkdtempSync(join(tmpdir(), `bindery-git-${process.pid}-`))
  readonly #socketPath = join(this.#dir, 's')
  readonly #server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) =>
    this.#accept(socket),
  )
  // bound: processes in progress
  readonly #runs = new Map<number, Run>()
  #spawner: ChildProcess | null = null
  #lastId = 0
  #closed = false

  /** Opens the socket for the processes that will be started. */
  static async open(): Promise<Launcher> {
    const launcher = new Launcher()
    folders.add(launcher.#dir)
    mkdirSync(join(launcher.#dir, 'home'))
    launcher.#server.listen(launcher.#socketPath)
    await once(launcher.#server, 'listening')
    return launcher
  }

  /** The process ID of the spawning process, for diagnosis; undefined before it is started. */
  get spawnerPid(): number | undefined {
    return this.#spawner?.pid
  }

  /** Number of processes started so far. */
  get started(): number {
    return this.#lastId
  }

  /** Starts a process. Resolves when its streams are connected. */
  start(command: string, args: readonly string[], { cwd, env = {}, guard, yields }: StartOptions): Promise<Running> {
    if (this.#closed) return Promise.reject(new GitError('the Git layer is closed'))
    const id = ++this.#lastId
    const span = currentTracing()?.begin(nameOf(command, args), {})
    return new Promise((resolve, reject) => {
      let end: (ending: Ending) => void = () => {}
      const ended = new Promise<Ending>((settle) => {
        end = settle
      })
      const timer = setTimeout(() => this.#spawner?.kill('SIGKILL'), START_MS)
      const run: Run = {
        pid: 0,
        stream: null,
        over: false,
        connected: (stream) => {
          clearTimeout(timer)
          run.stream = stream
          if (run.over) this.#runs.delete(id)
          resolve({ stream, ended, kill: () => this.#tell({ kind: 'kill', id }), yield: () => lowerPriority(run.pid) })
        },
        end: (ending) => {
          run.over = true
          span?.end({ 'process.exit.code': ending.code ?? -1 }, ending.failure)
          end(ending)
          // A quick process may be reported as ended before its connection arrives here. The connection still arrives
          // with its output.
          if (!run.stream && ending.code !== null) return
          clearTimeout(timer)
          this.#runs.delete(id)
          reject(new GitError(`${command} cannot be started: ${ending.failure}`))
        },
      }
      this.#runs.set(id, run)
      this.#ensureSpawner()
      this.#tell({ kind: 'spawn', id, command, args, cwd, env, ...(guard && { guard }), ...(yields && { yields }) })
    })
  }

  /**
   * Runs `git` in a bare repository and waits for its end, with any exit code. Throws `GitError` if it was killed or
   * could not be started.
   */
  async run(args: readonly string[], options: RunOptions): Promise<Finished> {
    const running = await this.start('git', [...gitOptions, ...args], options)
    let stopped: GitError | null = null
    const stop = (why: GitError) => {
      stopped ??= why
      running.kill()
      running.stream.destroy()
    }
    const timer = setTimeout(() => stop(new GitError(`git ${args[0]}: it took too long`)), options.timeoutMs ?? 60_000)
    const chunks: Buffer[] = []
    let bytes = 0
    let whole = false
    const read = new Promise<void>((resolve) => {
      running.stream.on('end', () => {
        whole = true
        resolve()
      })
      running.stream.on('close', resolve)
      running.stream.on('error', () => resolve())
    })
    running.stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > (options.maxBytes ?? 256 * 1024 * 1024))
        stop(new TooMuchOutput(`git ${args[0]}: its output is too long`))
      else chunks.push(chunk)
    })
    // Without input, write nothing, not even an empty buffer: writing to a process that has ended would fail, and
    // unread output would be lost.
    if (options.input === undefined || options.input.length === 0) running.stream.end()
    else running.stream.end(options.input)
    const [ending] = await Promise.all([running.ended, read])
    clearTimeout(timer)
    running.stream.destroy()
    if (stopped) throw stopped
    if (ending.failure || ending.code === null)
      throw new GitError(`git ${args[0]}: ${ending.failure ?? 'no exit code'}`, { cause: ending.stderr })
    if (ending.code === 0 && !whole) throw new GitError(`git ${args[0]}: its output was truncated`)
    return { ...ending, stdout: Buffer.concat(chunks) }
  }

  /** Like `run`, but throws `GitError` for any exit code other than 0. */
  async mustRun(args: readonly string[], options: RunOptions): Promise<Buffer> {
    const { code, stderr, stdout } = await this.run(args, options)
    if (code !== 0) throw new GitError(`git ${args[0]} failed with exit code ${code}: ${stderr.trim().slice(0, 1000)}`)
    return stdout
  }

  /** Kills all processes and ends the spawning process. */
  async close(): Promise<void> {
    this.#closed = true
    const spawner = this.#spawner
    if (spawner) {
      const gone = once(spawner, 'exit')
      if (spawner.connected) spawner.disconnect()
      await gone
    }
    this.#server.close()
    folders.delete(this.#dir)
    rmSync(this.#dir, { recursive: true, force: true })
  }

  #ensureSpawner(): void {
    if (this.#spawner) return
    const self = fileURLToPath(import.meta.url)
    const fromSource = extname(self) === '.ts'
    const spawner = fork(join(self, `../spawner${extname(self)}`), [this.#socketPath], {
      env: hermeticEnvironment(join(this.#dir, 'home')),
      cwd: '/',
      execArgv: fromSource ? ['--import', import.meta.resolve('tsx')] : [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#spawner = spawner
    spawner.on('message', (message: FromSpawner) => this.#heard(message))
    spawner.on('error', () => spawner.kill('SIGKILL'))
    spawner.on('exit', () => this.#spawnerDied(spawner))
  }

  #tell(message: ToSpawner): void {
    if (this.#spawner?.connected) this.#spawner.send(message, () => {})
  }

  #heard(message: FromSpawner): void {
    const run = this.#runs.get(message.id)
    if (!run) return
    if (message.kind === 'started') run.pid = message.pid
    else run.end(message)
  }

  #accept(socket: Socket): void {
    socket.on('error', () => {})
    const greet = () => {
      const head: Buffer | null = socket.read(ID_BYTES)
      if (!head) return
      socket.off('readable', greet)
      const run = this.#runs.get(Number(head.toString()))
      if (run) run.connected(socket)
      else socket.destroy()
    }
    socket.on('readable', greet)
  }

  #spawnerDied(spawner: ChildProcess): void {
    if (this.#spawner === spawner) this.#spawner = null
    for (const run of [...this.#runs.values()]) {
      if (run.pid > 0 && !run.over) killGroup(run.pid)
      run.stream?.destroy()
      run.end({ code: null, stderr: '', failure: 'the spawning process ended' })
    }
  }
}

/** @param pid 0 if the process has not been reported yet */
function lowerPriority(pid: number): void {
  try {
    if (pid > 0) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has already ended.
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
