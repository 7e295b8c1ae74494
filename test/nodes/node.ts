/** One node: a server in its own process, with a proxy towards its clients and one towards the database. */
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { nodeKey } from '../support/node-key.js'
import { launch } from '../races/server-process.js'
import { BadNetwork, type Target } from './bad-network.js'

const ASK_MS = 25
/** Longer than a deployment waits. */
const END_MS = 60_000

/** A run of the node's process. */
interface Life {
  child: ChildProcess
  output(): string
  ended: Promise<number | null>
  over: boolean
  port: number
  /** Whether its end was requested. */
  asked: boolean
}

export interface NodeOptions {
  name: string
  dir: string
  /** The database for the proxy, and the setting that names the database at a given port. */
  database: Target
  databaseUrl: (port: number) => string
  env: Record<string, string>
  /** An unused port. The address that clients know contains no port. */
  ports: () => number
}

export class Node {
  readonly dir: string
  /** The proxy towards clients. */
  readonly front: BadNetwork
  /** The proxy towards the database. */
  readonly back: BadNetwork
  readonly name: string
  stopped = false
  /** Runs that ended without a request, with the end of their output. */
  readonly deaths: string[] = []
  readonly #options: NodeOptions
  #life: Life | null = null
  #url: string | null = null
  #said = ''

  private constructor(options: NodeOptions, front: BadNetwork, back: BadNetwork) {
    this.#options = options
    this.name = options.name
    this.dir = options.dir
    this.front = front
    this.back = back
  }

  static async make(options: NodeOptions): Promise<Node> {
    mkdirSync(options.dir, { recursive: true })
    return new Node(options, await BadNetwork.to(null), await BadNetwork.to(options.database))
  }

  /** The address for clients, in all runs. */
  get url(): string {
    return `http://127.0.0.1:${this.front.port}`
  }

  /** The address of the process without a proxy, or null while it does not listen. */
  get direct(): string | null {
    return this.#url
  }

  get env(): Record<string, string> {
    const env = { ...this.#options.env, BINDERY_DATABASE_URL: this.#options.databaseUrl(this.back.port) }
    return { ...nodeKey(env), ...env }
  }

  get pid(): number {
    return this.#life?.child.pid ?? -1
  }

  /** The output of all runs. */
  output(): string {
    return this.#said + (this.#life?.output() ?? '')
  }

  /** Whether its process runs, listens and can reach both sides. */
  get good(): boolean {
    return this.#url !== null && !this.stopped && this.front.weather === 'pass' && this.back.weather === 'pass'
  }

  get running(): boolean {
    return this.#life !== null
  }

  /** Starts its process and repeats a failed start, as a supervisor does. Does not wait for it. */
  start(): void {
    const port = this.#options.ports()
    const started = launch(this.dir, { ...this.env, BINDERY_PORT: String(port) })
    const life: Life = { ...started, port, over: false, asked: false }
    this.#life = life
    void life.ended.then(async (code) => {
      life.over = true
      if (this.#life !== life || life.asked) return
      // A start without a database fails and is repeated.
      if (this.#url !== null)
        this.deaths.push(`${this.name} ended by itself with ${code}: ${life.output().slice(-1500)}`)
      this.#bury()
      await wait(300)
      if (this.#life === null) this.start()
    })
    void this.#findUrl(life)
  }

  async #findUrl(life: Life): Promise<void> {
    while (!life.over && this.#life === life) {
      if (/ready at \S+/.test(life.output())) {
        this.#url = `http://127.0.0.1:${life.port}`
        this.front.target = { port: life.port }
        return
      }
      await wait(ASK_MS)
    }
  }

  #bury(): void {
    this.#said += this.#life?.output() ?? ''
    this.#life = null
    this.#url = null
    this.front.target = null
    this.stopped = false
  }

  /** Resolves when the node reports that it is ready. */
  async ready(): Promise<void> {
    while (!(this.#url !== null && (await this.#isReady()))) await wait(ASK_MS)
  }

  #isReady(): Promise<boolean> {
    return fetch(`${this.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#life === null) return
    if (signal === 'SIGSTOP' || signal === 'SIGCONT') this.stopped = signal === 'SIGSTOP'
    try {
      process.kill(-this.pid, signal)
    } catch {
      // it has already ended
    }
  }

  /** Kills the process and its children with kill -9. */
  async kill(): Promise<void> {
    const life = this.#life
    if (life === null) return
    this.signal('SIGKILL')
    this.#bury()
    await life.ended
  }

  /** Stops it as a deployment does. Returns the exit code, or null if it had to be killed. */
  async end(): Promise<number | null> {
    const life = this.#life
    if (life === null) return null
    life.asked = true
    life.child.kill('SIGTERM')
    const code = await Promise.race([life.ended, wait(END_MS, 'late' as const, { ref: false })])
    if (code === 'late') await this.kill()
    else this.#bury()
    return code === 'late' ? null : code
  }

  /** Empties the disk. The process must not run. */
  wipe(): void {
    for (const folder of ['data', 'repos']) rmSync(join(this.dir, folder), { recursive: true, force: true })
  }

  async close(): Promise<void> {
    await this.kill()
    this.front.close()
    this.back.close()
  }
}
