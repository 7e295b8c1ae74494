/**
 * Request limits on nodes. Limits of single operations, such as sign-ins, are counted in the database. Limits of all
 * requests are counted by each node, and nodes exchange their counts.
 */
import type { RateLimit, RateLimitHeaders } from '../api/pipeline/rate-limit.js'
import { Sequence } from '../kernel/turns.js'
import type { Counts } from '../postgres/index.js'

/**
 * Interval between exchanges, in milliseconds. A key may exceed its limit by the requests that the nodes count within
 * it.
 */
const EXCHANGE_MS = 1_000
/** Number of exchanges after which expired counts are deleted from the database. */
const SWEEP_EVERY = 60

/** Counts a request for all nodes at once. Throws 429, `DatabaseAway`. */
export async function countEverywhere(counts: Counts, limit: RateLimit, key: string): Promise<RateLimitHeaders> {
  const name = nameOf(limit, key)
  const counted = (await counts.add(new Map([[name, 1]]))).get(name)
  // `count` below adds it again in this process.
  if (counted) limit.adopt(key, { ...counted, count: counted.count - 1 })
  return limit.count(key)
}

/**
 * Starts to exchange the counts of limits. Returns a function that stops it. While the database is unreachable, each
 * node counts on its own.
 */
export function exchangeCounts(counts: Counts, limits: readonly RateLimit[]): () => Promise<void> {
  const exchanges = new Sequence()
  let rounds = 0
  for (const limit of limits) limit.share()

  async function exchange(): Promise<void> {
    if (++rounds % SWEEP_EVERY === 0) await counts.sweep()
    for (const limit of limits) {
      const changed = limit.takeChanges()
      if (changed.size === 0) continue
      const found = await counts.add(new Map([...changed].map(([key, count]) => [nameOf(limit, key), count])))
      for (const key of changed.keys()) {
        const counted = found.get(nameOf(limit, key))
        if (counted) limit.adopt(key, counted)
      }
    }
  }
  const timer = setInterval(() => void exchanges.run(exchange).catch(() => {}), EXCHANGE_MS).unref()
  return async () => {
    clearInterval(timer)
    await exchanges.idle()
  }
}

const nameOf = (limit: RateLimit, key: string): string => `${limit.name} ${key}`
