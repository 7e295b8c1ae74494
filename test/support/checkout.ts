/** A checkout of the project in a temporary folder, in which documented commands run as a reader pastes them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../races/server-process.js'
import { moduleArguments } from './own-process.js'
import { databaseSettings, dropDatabase } from './service-database.js'

/** Commands that the checkout replaces with scripts, because they need a package registry. */
export type StandIns = Readonly<Record<string, string>>

/** A server that pasted commands have started. */
export interface StartedServer {
  url: string
  output(): string
  /** Interrupts it as Ctrl-C does, and returns its exit code. */
  stop(): Promise<number | null>
}

interface Spawned {
  child: ChildProcess
  /** Standard output and standard error, as a terminal shows them. */
  output(): string
  stdout(): string
}

export class Checkout {
  #running: StartedServer | null = null
  /** The shell with pasted commands that have not ended. */
  #pasted: ChildProcess | null = null

  private constructor(
    readonly dir: string,
    readonly env: NodeJS.ProcessEnv,
  ) {}

  /**
   * Creates a checkout of the files that commands need.
   * @param standIns shell scripts by the name of the command. Each call is recorded
   */
  static async create(standIns: StandIns, env: NodeJS.ProcessEnv = {}): Promise<Checkout> {
    const dir = await mkdtemp(join(tmpdir(), 'checkout-'))
    for (const folder of ['bin', 'home', 'src']) await mkdir(join(dir, folder))
    for (const name of ['scripts', 'templates', 'package.json', 'package-lock.json', 'tsconfig.json'])
      await cp(name, join(dir, name), { recursive: true })
    const main = moduleArguments('../../src/main.js', import.meta.url).at(-1) as string
    await symlink(main, join(dir, 'bin', 'main.js'))
    for (const [name, script] of Object.entries(standIns))
      await writeFile(join(dir, 'bin', name), `#!/bin/sh\necho "${name} $*" >> "${dir}/stand-ins"\n${script}\n`, {
        mode: 0o755,
      })
    const { PATH, TMPDIR } = process.env
    return new Checkout(dir, {
      PATH: `${join(dir, 'bin')}:${PATH}`,
      HOME: join(dir, 'home'),
      ...(TMPDIR === undefined ? {} : { TMPDIR }),
      BINDERY_PORT: '0',
      BINDERY_LOG_LEVEL: 'warn',
      ...(await databaseSettings(dir)),
      ...env,
    })
  }

  /** The running server; null if it is stopped. */
  get server(): StartedServer | null {
    return this.#running
  }

  /** Pastes commands into a shell and returns their standard output. Throws with the output if one of them fails. */
  async paste(commands: string, { shell = 'bash', env = {} }: { shell?: string; env?: NodeJS.ProcessEnv } = {}) {
    const { child, output, stdout } = this.#spawn(commands, shell, env)
    this.#pasted = child
    const [code] = await once(child, 'close')
    this.#pasted = null
    if (code !== 0) throw new Error(`exit ${code} of:\n${commands}\n${output()}`)
    return stdout()
  }

  /** Pastes commands of which the last one starts a server, and waits until it is ready. Throws if it ends. */
  async start(commands: string, { shell = 'bash' }: { shell?: string } = {}): Promise<StartedServer> {
    const { child, output } = this.#spawn(commands, shell, {})
    const ended = once(child, 'exit').then(([code]) => code as number | null)
    let over = false
    void ended.then(() => (over = true))
    const [, url = ''] = await until(() => {
      if (over) throw new Error(`the server ended at its start:\n${commands}\n${output()}`)
      return /ready at (\S+)\n[\s\S]*Next/.exec(output())
    })
    this.#running = {
      url,
      output,
      stop: () => {
        this.#running = null
        process.kill(-(child.pid as number), 'SIGINT')
        return ended
      },
    }
    return this.#running
  }

  /** The calls of stand-ins, in order. */
  async calls(): Promise<string[]> {
    return (await readFile(join(this.dir, 'stand-ins'), 'utf8')).trim().split('\n')
  }

  async close(): Promise<void> {
    if (this.#pasted?.pid !== undefined) process.kill(-this.#pasted.pid, 'SIGKILL')
    await this.#running?.stop()
    await rm(this.dir, { recursive: true, force: true })
    await dropDatabase(this.dir)
  }

  #spawn(commands: string, shell: string, env: NodeJS.ProcessEnv): Spawned {
    const child = spawn(shell, ['-euo', 'pipefail', '-c', commands], {
      cwd: this.dir,
      env: { ...this.env, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [output, stdout] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    return { child, output: () => output, stdout: () => stdout }
  }
}
