/** The shared state of the clients of a story: nodes to choose from, unique names, and counts. */
import { setTimeout as wait } from 'node:timers/promises'
import { pick, type Random, random } from '../simulation/two-sided/random.js'
import type { Answer, Asker, Door, Question } from './asker.js'
import type { Cluster } from './cluster.js'

const ENOUGH_FAULTS = 20

export class World {
  readonly cluster: Cluster
  readonly seed: number
  /** Spaces that any client may write in. New ones are added. */
  readonly spaces: string[] = []
  #over = false
  /** The number of writes that were acknowledged, left open, or rejected with 409. */
  readonly counts = new Map<string, number>()
  #names = 0

  constructor(cluster: Cluster, seed: number) {
    this.cluster = cluster
    this.seed = seed
  }

  /** Clients stop when this is true. */
  get over(): boolean {
    return this.#over || this.failed
  }

  /** Whether further faults would only follow from the many earlier ones. */
  get failed(): boolean {
    return this.cluster.judge.faults.length >= ENOUGH_FAULTS
  }

  end(): void {
    this.#over = true
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  /** A unique word. */
  name(prefix: string): string {
    return `${prefix}-${++this.#names}`
  }

  client(index: number, keepAlive?: boolean): Client {
    return new Client(this, `client ${index}`, random(Math.imul(this.seed, 0x9e3779b1) ^ (index + 1)), keepAlive)
  }
}

/** A client that writes on random nodes. */
export class Client {
  readonly asker: Asker
  constructor(
    readonly world: World,
    readonly name: string,
    readonly random: Random,
    keepAlive = true,
  ) {
    this.asker = world.cluster.asker(name, undefined, keepAlive)
  }

  chance(percent: number): boolean {
    return this.random(100) < percent
  }

  node(): Door {
    return pick(this.random, this.world.cluster.nodes) as Door
  }

  space(): string {
    return pick(this.random, this.world.spaces) as string
  }

  /** Sends one request to one node. */
  ask(question: Question, door = this.node()): Promise<Answer> {
    return this.asker.ask(door, question)
  }

  /** Asks node after node until one responds with a status other than 503. Returns null if the story ends first. */
  async insist(question: Question): Promise<Answer | null> {
    while (!this.world.over) {
      const answer = await this.ask(question)
      if (answer.status !== 0 && answer.status !== 503) return answer
      await wait(50 + this.random(200))
    }
    return null
  }

  /** Calls `look` with the current response of one node, or sometimes of all. Skips nodes that do not return 200. */
  async everywhere(path: string, look: (body: any, where: string) => void): Promise<void> {
    const { nodes } = this.world.cluster
    const asked = this.chance(25) ? nodes : [this.node()]
    await Promise.all(
      asked.map(async (node) => {
        const answer = await this.ask({ method: 'GET', path, expect: [200] }, node)
        if (answer.status === 200) look(answer.body, node.name)
      }),
    )
  }

  /** Records a fault with the client that saw it. */
  fault(what: string): void {
    this.world.cluster.judge.fault(`${this.name}: ${what}`)
  }
}

/** A kind of action that a client repeats. */
export interface Deed {
  /** Its frequency relative to the others. */
  weight: number
  act(): Promise<void>
  /** At the end, checks that a node shows the acknowledged writes. */
  check(reader: Reader): Promise<void>
}

/** Reads from one node as long as it takes, once there are no more disturbances. */
export interface Reader {
  node: string
  get(path: string): Promise<any>
  /** All items of a list. */
  list(path: string): Promise<any[]>
  /** Pages of a space's main content, flat. */
  pages(space: string): Promise<{ id: string; title: string; path: string }[]>
  fault(what: string): void
}
