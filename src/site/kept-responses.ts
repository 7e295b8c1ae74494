/** Caches complete responses, and reuses them while their recorded reads are unchanged. */
import type { IncomingMessage } from 'node:http'
import type { App } from '../domain/context/app.js'
import { recordedApp } from '../domain/context/recorded-app.js'
import type { BoundedCache, MemoryBudget } from '../kernel/memory-budget.js'
import { type RecordedReads, Recording } from '../kernel/recording.js'
import type { SiteResponse } from './exchange.js'
import { Prepared } from './prepared.js'

interface Kept {
  prepared: Prepared
  reads: RecordedReads
}

/** Larger responses are not cached. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * The cached responses of all sites. The key is the host name, the path, and the gate's decision about the reader:
 * '' for a site that is the same for everyone. It never contains a cookie, a key or a token.
 */
export class KeptResponses {
  readonly #kept: BoundedCache<Kept>
  // bound: the requests in progress
  readonly #making = new Map<string, Promise<unknown>>()

  constructor(budget: MemoryBudget) {
    this.#kept = budget.cache<Kept>({
      weigh: ({ prepared, reads }) => prepared.bytes + reads.bytes,
      maxEntryBytes: MAX_BYTES,
    })
  }

  /** Returns a response that is still valid. */
  find(hostname: string, path: string, outcome: string): Prepared | null {
    const key = keyOf(hostname, path, outcome)
    const kept = this.#kept.get(key)
    if (kept?.reads.areUnchanged()) return kept.prepared
    if (kept) this.#kept.delete(key)
    return null
  }

  /**
   * Creates a response, and caches it if it may be reused. Concurrent requests for the same response wait for the
   * first one. They get its response only if it is still valid then, because the first request may have read older
   * data than the others must see.
   */
  async make(
    app: App,
    { hostname, path }: { hostname: string; path: string },
    answer: (app: App) => Promise<SiteResponse | Prepared>,
  ): Promise<SiteResponse | Prepared> {
    const key = keyOf(hostname, path, '')
    const other = this.#making.get(key)
    if (other) {
      await other.catch(() => {})
      const known = this.find(hostname, path, '')
      if (known) return known
    }
    const made = this.#record(app, { hostname, path }, answer)
    this.#making.set(key, made)
    try {
      return await made
    } finally {
      if (this.#making.get(key) === made) this.#making.delete(key)
    }
  }

  async #record(
    app: App,
    { hostname, path }: { hostname: string; path: string },
    answer: (app: App) => Promise<SiteResponse | Prepared>,
  ): Promise<SiteResponse | Prepared> {
    const recording = new Recording()
    const response = await answer(recordedApp(app, recording))
    if (response instanceof Prepared || response.outcome === undefined || response.file || response.stream)
      return response
    recording.seal()
    const reads = recording.finish()
    const prepared = new Prepared(response)
    if (reads && !response.cookies?.length) this.#kept.set(keyOf(hostname, path, response.outcome), { prepared, reads })
    return prepared
  }
}

const keyOf = (hostname: string, path: string, outcome: string): string => `${hostname}\n${path}\n${outcome}`

/** Whether a request is a GET or HEAD without a body. */
export const isPlainRead = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  headers.expect === undefined &&
  headers.upgrade === undefined
