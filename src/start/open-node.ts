/** The resources that a node shares with others on one database: connections, leases, hints, and its sign of life. */
import type { Config } from '../config.js'
import type { RefMoves } from '../domain/context/ref-moves.js'
import { newId } from '../kernel/ids.js'
import { aborted, repeat } from '../kernel/passes.js'
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
import { defined } from '../kernel/defined.js'

/** Number of connections besides those of the documents: for repositories, leases, files and news. */
const OTHER_CONNECTIONS = 11
/** Prefix of the leases that are the nodes' signs of life. */
const NODES = 'node:'
/** Delay before a node that lost its lease takes it again, in milliseconds. */
const REST_MS = 1_000

export interface Node {
  /** Unique ID of this process. */
  id: string
  database: Database
  leases: Leases
  hints: Hints
  /** The writes of all nodes to the database. */
  news: News
  /** Request counts for limits. */
  counts: Counts
}

/**
 * Opens the shared resources of this node; null if there is no database. Throws `DatabaseAway`. `leaseMs`: duration of
 * leases that are not renewed.
 */
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
  const leases = await openLeases(database, { holder: id, ...defined({ leaseMs }) })
  closers.add(() => leases.close())
  const hints = openHints(database, id)
  closers.add(() => hints.close())
  const news = await openNews(database)
  closers.add(() => news.close())
  const counts = await openCounts(database)
  closers.add(await showLife(leases, id))
  return { id, database, leases, hints, news, counts }
}

/**
 * Holds the lease of this node while it runs, and takes it again if it was lost. Returns a function that releases it.
 */
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
  const living = holding.then(() => repeat(stop.signal, REST_MS, () => hold(() => {})))
  return async () => {
    stop.abort()
    await living
  }
}

/** Returns the nodes that are not alive. */
export async function deadOf({ leases }: Node, nodes: readonly string[]): Promise<Set<string>> {
  const free = await leases.findFree(nodes.map((id) => NODES + id))
  return new Set(nodes.filter((id) => free.has(NODES + id)))
}

/** Returns whether other nodes are alive, and the leases of dead nodes. */
export async function otherNodes({ leases }: Node): Promise<{ live: boolean; died: string[] }> {
  const { held, abandoned } = await leases.listBelow(NODES)
  return { live: held.length > 0, died: abandoned }
}

/** Waits for earlier ref moves on other nodes, or revokes their right to move. */
export const movesElsewhere =
  ({ leases }: Node): ConstructorParameters<typeof RefMoves>[0] =>
  (space) =>
    leases.othersEnded(space === undefined ? { prefix: SPACES } : { name: SPACES + space })
