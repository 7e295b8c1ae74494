/** Limits what readers of a site send, per hour, address and site. */
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../kernel/errors.js'
import { networkOf } from '../../kernel/network-of.js'

const HOUR_MS = 3_600_000
/** Maximum number of addresses and sites that are counted. Beyond it, the least recently used one starts from zero. */
const MAX_COUNTED = 10_000

/**
 * Returns a function that counts a request to a site from an address. It throws 429 if there are too many. The counts are
 * in memory only.
 * @param limits the number of requests per hour from one address to a site, and to one site
 */
export function hourlyCount(
  limits: { address: number; site: number },
  message: string,
): (site: string, ip: string) => void {
  // bound: MAX_COUNTED
  const counted = new LRUCache<string, { count: number }>({ max: MAX_COUNTED, ttl: HOUR_MS })
  return (site, ip) => {
    const windows = [
      { key: site, limit: limits.site },
      { key: `${site} ${networkOf(ip)}`, limit: limits.address },
    ].map(({ key, limit }) => {
      const window = counted.get(key) ?? { count: 0 }
      if (window.count === 0) counted.set(key, window)
      return { window, limit }
    })
    if (windows.some(({ window, limit }) => window.count >= limit))
      throw new ServiceError('too-many-requests', message, { headers: { 'Retry-After': String(HOUR_MS / 1000) } })
    for (const { window } of windows) window.count++
  }
}
