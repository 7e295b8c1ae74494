/** Disturbances of nodes, the database and the network. */
import { pick, pickWeighted, type Random } from '../simulation/two-sided/random.js'
import type { Cluster } from './cluster.js'
import type { Node } from './node.js'
import { BAD_WEATHER } from './bad-network.js'

/** In ms. Longer than any lease of a space. */
const LONGER_THAN_A_LEASE_MS = Number(process.env.NODES_LEASE_MS ?? 4_500) * 1.3

export interface Disturbance {
  name: string
  /** The kinds that it consists of, for the report. */
  kinds: string[]
  /** Duration in ms. */
  lasts: number
  begin(): Promise<void>
  /** Repairs everything and resolves when the cause is gone. The nodes recover on their own. */
  end(): Promise<void>
}

type Make = (cluster: Cluster, next: Random, node: Node) => Omit<Disturbance, 'kinds'>

const kill: Make = (_, next, node) => ({
  name: `kill -9 of ${node.name}`,
  lasts: next(3) === 0 ? 0 : next(2500),
  begin: () => node.kill(),
  end: async () => node.start(),
})

const wipe: Make = (_, next, node) => ({
  name: `kill -9 of ${node.name}, and its disk is lost`,
  lasts: next(1500),
  begin: () => node.kill(),
  end: async () => {
    node.wipe()
    node.start()
  },
})

const stop: Make = (_, next, node) => ({
  name: `SIGSTOP of ${node.name}`,
  lasts: next(4) === 0 ? next(3000) : LONGER_THAN_A_LEASE_MS + next(2000),
  begin: async () => node.signal('SIGSTOP'),
  end: async () => node.signal('SIGCONT'),
})

const crash: Make = (cluster, next) => ({
  name: 'crash of the database',
  lasts: next(3) === 0 ? 0 : next(3000),
  begin: async () => {
    cluster.database.up = false
    await cluster.postgres.crash()
  },
  end: async () => {
    await cluster.postgres.start()
    cluster.database.up = true
  },
})

const cutBack: Make = (_, next, node) => {
  const weather = pick(next, BAD_WEATHER) as (typeof BAD_WEATHER)[number]
  return {
    name: `${weather} between ${node.name} and the database`,
    lasts: 200 + next(4000),
    begin: async () => node.back.turn(weather),
    end: async () => node.back.turn('pass'),
  }
}

const cutFront: Make = (_, next, node) => {
  const weather = pick(next, BAD_WEATHER) as (typeof BAD_WEATHER)[number]
  return {
    name: `${weather} between clients and ${node.name}`,
    lasts: 200 + next(2500),
    begin: async () => node.front.turn(weather),
    end: async () => node.front.turn('pass'),
  }
}

/** No node reaches the database for a while, each for a different reason. */
const cutAll: Make = (cluster, next) => {
  const weathers = cluster.nodes.map(() => pick(next, BAD_WEATHER) as (typeof BAD_WEATHER)[number])
  return {
    name: `${weathers.join(', ')} between the nodes and the database`,
    lasts: 200 + next(3000),
    begin: async () => cluster.nodes.forEach((node, i) => void node.back.turn(weathers[i] as 'hang')),
    end: async () => {
      for (const node of cluster.nodes) node.back.turn('pass')
    },
  }
}

const KINDS: readonly (readonly [number, readonly [string, Make]])[] = [
  [4, ['kill', kill]],
  [2, ['wipe', wipe]],
  [3, ['stop', stop]],
  [3, ['crash', crash]],
  [5, ['cutBack', cutBack]],
  [4, ['cutFront', cutFront]],
  [1, ['cutAll', cutAll]],
]
const only = (process.env.NODES_ONLY ?? '').split(',').filter((name) => name !== '')
const kinds = only.length === 0 ? KINDS : KINDS.filter(([, [name]]) => only.includes(name))

/** One disturbance, or two of different nodes at the same time. */
export function disturbance(cluster: Cluster, next: Random): Disturbance {
  const first = next(cluster.nodes.length)
  const one = made(cluster, next, first)
  if (cluster.nodes.length < 2 || next(4) > 0) return one
  const other = made(cluster, next, (first + 1) % cluster.nodes.length)
  if (other.name === one.name || /nodes and the database/.test(one.name + other.name)) return one
  const [short, long] = one.lasts < other.lasts ? [one, other] : [other, one]
  return {
    name: `${one.name}, and ${other.name}`,
    kinds: [...one.kinds, ...other.kinds],
    lasts: long.lasts,
    begin: async () => {
      await short.begin()
      await long.begin()
    },
    end: async () => {
      await short.end()
      await long.end()
    },
  }
}

function made(cluster: Cluster, next: Random, node: number): Disturbance {
  const [name, make] = pickWeighted(next, kinds)
  return { ...make(cluster, next, cluster.nodes[node] as Node), kinds: [name] }
}
