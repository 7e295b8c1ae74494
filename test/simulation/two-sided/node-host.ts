/**
 * The service of a story on several nodes, each in its own process, on one PostgreSQL. Each request goes to a random
 * node.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Reach, type ServerProcess, startServer, TOKEN } from '../../races/server-process.js'
import { type Postgres, startPostgres } from '../../support/postgres.js'
import { differ, type Place, sameRefs } from '../copies.js'
import { Api } from './api.js'
import { Fault } from './fault.js'
import type { Host } from './host.js'
import { NodeRepository } from './node-repository.js'
import { pick, type Random, random } from './random.js'
import type { SpaceRepository } from './repository.js'

/**
 * In ms. The time after a kill in which nodes may request retries: a lease of the killed node must expire, and its jobs
 * must be found.
 */
const PATIENCE_MS = 20_000

interface Running extends Place {
  server: ServerProcess | null
}

export class NodeHost implements Host {
  readonly kind = 'nodes'
  readonly api: Api
  readonly organization: string
  readonly #dir: string
  readonly #postgres: Postgres
  readonly #env: Record<string, string>
  readonly #next: Random
  readonly #all: Running[]
  #last: Running
  #killed = Number.NEGATIVE_INFINITY

  private constructor(options: {
    dir: string
    postgres: Postgres
    env: Record<string, string>
    seed: number
    all: Running[]
  }) {
    this.#dir = options.dir
    this.#postgres = options.postgres
    this.#env = options.env
    this.#next = random(options.seed)
    this.#all = options.all
    this.#last = options.all[0] as Running
    this.organization = (this.#last.server as ServerProcess).organization
    this.api = new Api(
      () => this.node().url,
      TOKEN,
      () => performance.now() - this.#killed < PATIENCE_MS,
    )
  }

  static async start({ nodes, seed }: { nodes: number; seed: number }): Promise<NodeHost> {
    const dir = await mkdtemp(join(tmpdir(), 'bindery-nodes-'))
    const postgres = await startPostgres()
    const env = {
      BINDERY_DATABASE_URL: await postgres.database(),
      BINDERY_REMOTE_PROTOCOLS: 'http,file',
      BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
      BINDERY_CHECK_RESPONSES: 'true',
      BINDERY_LOG_LEVEL: 'error',
    }
    const all: Running[] = []
    for (let n = 1; n <= nodes; n++) {
      const server = await startServer(join(dir, `node-${n}`), env)
      all.push({ name: `node ${n}`, dir: join(dir, `node-${n}`), url: server.url, server })
    }
    return new NodeHost({ dir, postgres, env, seed, all })
  }

  /** The running nodes. */
  get places(): readonly Place[] {
    return this.#all.filter(({ server }) => server !== null)
  }

  /** The node for the next request. */
  node(): Place {
    this.#last = pick(
      this.#next,
      this.#all.filter(({ server }) => server !== null),
    ) as Running
    return this.#last
  }

  repository(space: string): SpaceRepository {
    return new NodeRepository(this, space, { dir: join(this.#dir, 'clones', space), token: TOKEN, chance: this.#next })
  }

  /** Kills a node, usually the one of the last request. */
  kill = async (reach: Reach): Promise<void> => {
    const one = this.#next(3) > 0 ? this.#last : (this.node() as Running)
    this.#killed = performance.now()
    const { server } = one
    one.server = null
    await server?.kill(reach)
  }

  /** Starts the killed nodes. If there are none, one is stopped as in a deployment and restarted. */
  async restart(): Promise<void> {
    if (this.#all.every(({ server }) => server !== null)) {
      const one = this.node() as Running
      const server = one.server as ServerProcess
      one.server = null
      server.child.kill('SIGTERM')
      const code = await server.ended
      if (code !== 0) throw new Fault('response', `${one.name} ended with ${code}: ${server.output().slice(-1000)}`)
    }
    await Promise.all(this.#all.filter(({ server }) => server === null).map((one) => this.#start(one)))
  }

  async #start(one: Running): Promise<void> {
    const server = await startServer(one.dir, this.#env)
    one.url = server.url
    one.server = server
  }

  loseDisk = async (): Promise<string> => {
    await this.kill('tree')
    const gone = this.#all.find(({ server }) => server === null) as Running
    await rm(gone.dir, { recursive: true, force: true })
    await this.restart()
    return `${gone.name} was killed, and its disk lost`
  }

  readonly copyTo = null

  async agree(space: string): Promise<void> {
    const { places } = this
    await sameRefs(places, space).catch((error: Error) => {
      throw new Fault('nodes differ', error.message)
    })
    for (const path of [
      '',
      '/content/pages?metadata=true',
      '/git/history?limit=10',
      '/change-requests?status=open&limit=100',
    ]) {
      const ask = async ({ url }: Place): Promise<string> => {
        const body = await new Api(() => url, TOKEN, this.api.mayRefuse).ask('GET', `/v1/spaces/${space}${path}`)
        return JSON.stringify(body).replaceAll(url, 'http://node')
      }
      const shown = await Promise.all(places.map(ask))
      for (const [at, one] of shown.entries())
        if (one !== shown[0])
          throw new Fault('nodes differ', differ(places, at, `GET /v1/spaces/${space}${path}`, shown[0] as string, one))
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(({ server }) => server?.kill('tree')))
    await this.#postgres.close()
    await rm(this.#dir, { recursive: true, force: true })
  }
}
