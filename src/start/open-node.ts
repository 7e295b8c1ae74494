/** What a node shares with others on one database: the connections, the leases, the hints, and the sign that it lives. */
import type { Config } from '../config.js'
import type { RefMoves } from '../domain/context/ref-moves.js'
import { newId } from '../kernel/ids.js'
import {
  applicationOf,
  type Counts,
  type Database,
  type Hints,
  type Leases,
  type News,
  openCounts,
  openDatabase,
  openHints,
  openLeases,
  openNews,
} from '../postgres/index.js'
import { CONNECTIONS } from '../store/index.js'
import type { Closers } from './closers.js'
import { SPACES } from './shared-locks.js'

/** Connections beside those of the documents: repositories, leases, files, and one for news. */
const OTHER_CONNECTIONS = 11
/** What the names of leases begin with by which nodes show that they live. */
const NODES = 'node:'
/** How long a node that lost its sign waits before it shows it again, in milliseconds. */
const REST_MS = 1_000

export interface Node {
  /** This process and no other. */
  id: string
  database: Database
  leases: Leases
  hints: Hints
  /** What was written to the database, by whichever node. */
  news: News
  /** Of requests, for limits. */
  counts: Counts
}

/** Opens what this node shares; null if there is no database. Throws `DatabaseAway`. `leaseMs`: how long leases last that are not extended. */
export async function openNode(
  { databaseUrl }: Config,
  leaseMs: number | undefined,
  closers: Closers,
): Promise<Node | null> {
  if (databaseUrl === null) return null
  const id = newId()
  const database = openDatabase({
    url: databaseUrl,
    application: applicationOf(id),
    connections: CONNECTIONS + OTHER_CONNECTIONS,
  })
  closers.add(() => database.close())
  const leases = await openLeases(database, { holder: id, ...(leaseMs === undefined ? {} : { leaseMs }) })
  closers.add(() => leases.close())
  const hints = openHints(database, id)
  closers.add(() => hints.close())
  const news = await openNews(database)
  closers.add(() => news.close())
  const counts = await openCounts(database)
  closers.add(await showLife(leases, id))
  return { id, database, leases, hints, news, counts }
}

/** Holds the lease of this node for as long as it runs, and takes it again if it was lost. Returns what ends it. */
async function showLife(leases: Leases, id: string): Promise<() => Promise<void>> {
  const stop = new AbortController()
  const hold = (lives: () => void) =>
    leases.run(NODES + id, async ({ signal }) => {
      lives()
      await aborted(AbortSignal.any([signal, stop.signal]))
    })
  let holding: Promise<void> = Promise.resolve()
  await new Promise<void>((lives, failed) => {
    holding = hold(lives).catch(failed)
  })
  const again = async (): Promise<void> => {
    await holding
    while (!stop.signal.aborted) {
      await hold(() => {}).catch(() => undefined)
      await Promise.race([aborted(stop.signal), new Promise((done) => setTimeout(done, REST_MS).unref())])
    }
  }
  const living = again()
  return async () => {
    stop.abort()
    await living
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }))

/** Those of some nodes that do not live. */
export async function deadOf({ leases }: Node, nodes: readonly string[]): Promise<Set<string>> {
  const free = await leases.findFree(nodes.map((id) => NODES + id))
  return new Set(nodes.filter((id) => free.has(NODES + id)))
}

/** Whether other nodes live, and the signs of those that died without taking them back. */
export async function otherNodes({ leases }: Node): Promise<{ live: boolean; died: string[] }> {
  const { held, abandoned } = await leases.listBelow(NODES)
  return { live: held.length > 0, died: abandoned }
}

/** Waits for moves of refs on other nodes that began before this, or ends their right to move. */
export const movesElsewhere =
  ({ leases }: Node): ConstructorParameters<typeof RefMoves>[0] =>
  (space) =>
    leases.othersEnded(space === undefined ? { prefix: SPACES } : { name: SPACES + space })
