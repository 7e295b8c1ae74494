/** What the clients of a story share: nodes to choose from, names that are used once, figures. */
import { setTimeout as wait } from 'node:timers/promises'
import { pick, type Random, random } from '../simulation/two-sided/random.js'
import type { Answer, Asker, Door, Question } from './asker.js'
import type { Cluster } from './cluster.js'

const ENOUGH_FAULTS = 20

export class World {
  readonly cluster: Cluster
  readonly seed: number
  /** Spaces that anybody may write in; new ones are added. */
  readonly spaces: string[] = []
  #over = false
  /** How often what was acknowledged, left open, or refused with 409. */
  readonly counts = new Map<string, number>()
  #names = 0

  constructor(cluster: Cluster, seed: number) {
    this.cluster = cluster
    this.seed = seed
  }

  /** Clients end when this is true. */
  get over(): boolean {
    return this.#over || this.failed
  }

  /** Whether there are so many faults that the rest follows from them. */
  get failed(): boolean {
    return this.cluster.judge.faults.length >= ENOUGH_FAULTS
  }

  end(): void {
    this.#over = true
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  /** A word that nothing else has. */
  name(prefix: string): string {
    return `${prefix}-${++this.#names}`
  }

  client(index: number, keepAlive?: boolean): Client {
    return new Client(this, `client ${index}`, random(Math.imul(this.seed, 0x9e3779b1) ^ (index + 1)), keepAlive)
  }
}

/** Somebody who writes, on whatever node chance gives. */
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

  /** Asks one node, once. */
  ask(question: Question, door = this.node()): Promise<Answer> {
    return this.asker.ask(door, question)
  }

  /** Asks node after node until one answers with something else than 503; null when the story is over before. */
  async insist(question: Question): Promise<Answer | null> {
    while (!this.world.over) {
      const answer = await this.ask(question)
      if (answer.status !== 0 && answer.status !== 503) return answer
      await wait(50 + this.random(200))
    }
    return null
  }

  /** Calls `look` with what nodes show now: one of them, at times all. Those that do not answer with 200 show nothing. */
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

  /** A fault, told with who saw it. */
  fault(what: string): void {
    this.world.cluster.judge.fault(`${this.name}: ${what}`)
  }
}

/** A kind of thing that a client does over and over. */
export interface Deed {
  /** How often compared with the others. */
  weight: number
  act(): Promise<void>
  /** At the end: what a node shows is what was acknowledged. */
  check(reader: Reader): Promise<void>
}

/** Reads from one node whatever it takes, when nothing disturbs it any more. */
export interface Reader {
  node: string
  get(path: string): Promise<any>
  /** All items of a list. */
  list(path: string): Promise<any[]>
  /** Pages of a space's main content, flat. */
  pages(space: string): Promise<{ id: string; title: string; path: string }[]>
  fault(what: string): void
}
