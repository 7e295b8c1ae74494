// Looks up host names.
import { lookup, Resolver } from 'node:dns/promises'

/** Returns all IP addresses of a host name. Rejects with Node's `code` (`ENOTFOUND` …). */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>

const QUERY = { timeout: 3_000, tries: 2 }
/** Errors of the name servers after which the system may still resolve the name, for example from its hosts file. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EBADNAME'])

/**
 * Maximum number of concurrent system lookups. A lookup blocks a thread of the pool that also does all file operations,
 * for as long as the name server takes. So it is used only for names that the name servers do not know.
 */
const MAX_LOOKUPS = 2
/**
 * Maximum number of waiting lookups. Further ones are rejected at once, because a lookup may have to wait until all
 * earlier ones have timed out.
 */
const MAX_WAITING = 100
let running = 0
// Size limit: MAX_WAITING
const waiting: (() => void)[] = []

async function lookUp(host: string): Promise<{ address: string; family: number }[]> {
  if (running < MAX_LOOKUPS) running++
  else if (waiting.length >= MAX_WAITING)
    throw Object.assign(new Error('too many names are being looked up'), { code: 'EAI_AGAIN' })
  else await new Promise<void>((go) => waiting.push(go))
  try {
    return await lookup(host, { all: true, verbatim: true })
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

/** Resolves a host with the name servers, then with the system. */
export const resolveHost: Resolve = async (host) => {
  if (!host.includes('.')) return lookUp(host)
  const resolver = new Resolver(QUERY)
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (found.length > 0) return found
  const failed = [four, six].find((one) => one.status === 'rejected' && !UNKNOWN.has(String(one.reason?.code)))
  if (failed?.status === 'rejected') throw failed.reason
  return lookUp(host)
}
