/** A service in its own process that can be killed at any time, connected to a Git server of this process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import request from 'supertest'
import { TOKEN } from '../races/server-process.js'
import { moduleArguments } from '../support/own-process.js'
import { type ConnectedSpaces, connectedSpaces, type Served } from './connected.js'
import type { Order, Report } from './own-server.js'

interface Waiting {
  done(report: Report): void
  failed(error: Error): void
}

/** The process of the service, and its successor after a kill. */
class Server {
  url = ''
  organization = ''
  /** The offset of the clock from the real one, as the parent knows it. */
  #aheadMs = 0
  #orders = 0
  readonly #waiting = new Map<number, Waiting>()
  #child: ChildProcess | undefined

  constructor(readonly dir: string) {}

  async start(): Promise<void> {
    const child = spawn(
      process.execPath,
      [...moduleArguments('./own-server.js', import.meta.url), this.dir, String(this.#aheadMs)],
      {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: { ...process.env, TMPDIR: tmpdir() },
      },
    )
    this.#child = child
    child.on('message', (report: Report) => this.#told(report))
    child.on('exit', () => {
      for (const { failed } of this.#waiting.values()) failed(new Error('the server has ended'))
      this.#waiting.clear()
    })
    await new Promise<Report>((done, failed) => this.#waiting.set(0, { done, failed }))
  }

  #told(report: Report): void {
    this.url = report.url
    this.organization = report.organization
    const waiting = this.#waiting.get(report.id)
    this.#waiting.delete(report.id)
    if (report.error === undefined) waiting?.done(report)
    else waiting?.failed(new Error(report.error))
  }

  /** Resolves when the server has done it. Rejects if the server is killed before. */
  async order(what: Order['what'], ms = 0): Promise<void> {
    if (what === 'begin') this.#aheadMs += ms
    const id = ++this.#orders
    await new Promise<Report>((done, failed) => {
      this.#waiting.set(id, { done, failed })
      // A server that has just ended takes no more commands.
      this.#child?.send({ id, what, ms } satisfies Order, (error) => error && failed(error))
    })
  }

  /** Kills the service like `kill -9`. Its successor finds what it left. */
  async kill(): Promise<void> {
    const child = this.#child as ChildProcess
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}

export interface KillableSpaces extends ConnectedSpaces<Served> {
  /** Kills the server. `start` starts it again. */
  kill(): Promise<void>
  start(): Promise<void>
}

export async function startKillable(): Promise<KillableSpaces> {
  const server = new Server(await mkdtemp(join(tmpdir(), 'bindery-')))
  await server.start()
  const service: Served = {
    dir: server.dir,
    organization: server.organization,
    get url() {
      return server.url
    },
    admin: {
      user: '',
      token: TOKEN,
      call: (method, path, body) => {
        const asked = request(server.url)[method](path).set('Authorization', `Bearer ${TOKEN}`)
        return body === undefined ? asked : asked.send(body as object)
      },
    },
    restart: () => server.order('restart'),
    async close() {
      await server.order('close')
      await server.kill()
      await rm(server.dir, { recursive: true, force: true })
    },
  }
  const spaces = await connectedSpaces(service, {
    begin: (ms) => server.order('begin', ms),
    idle: () => server.order('idle'),
  })
  return Object.assign(spaces, { kill: () => server.kill(), start: () => server.start() })
}
