/** Renews cached responses: if only the head of the branch has changed, gives the body its new tag. */
import type { Context } from 'koa'
import type { RecordedReads } from '../../kernel/recording.js'
import { isOid } from '../../kernel/ids.js'
import type { Renewal } from '../declaration.js'

/** Response bodies by tag. A hit saves the handler and the serialization. */
export interface ByteCache {
  get(key: string): Buffer | undefined
  set(key: string, bytes: Buffer): unknown
}

/** The data to renew a cached response for the next commit. */
export interface RenewalData extends Renewal<unknown> {
  /** Returns the tag of the response at a commit. */
  tagAt(commit: string): string
}

/** The parts of a cached response that renewal changes. */
interface RenewableResponse {
  headers: readonly string[]
  body: Buffer | null
  reads: RecordedReads
  tag: string
  renewable: RenewalData | null
}

/** The renewed response is for the same request, so it must not depend on conditions or on a coding. */
const CONDITIONS = [
  'if-none-match',
  'if-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
] as const

/** Returns the body if the response may be renewed: complete, uncompressed and independent of conditions. Else null. */
export function renewableBody({ method, status, req, res, body }: Context): Buffer | null {
  if (
    method !== 'GET' ||
    status !== 200 ||
    res.hasHeader('Content-Encoding') ||
    CONDITIONS.some((name) => req.headers[name] !== undefined)
  )
    return null
  return Buffer.isBuffer(body) ? body : null
}

/** Returns the response at the current head of the branch; null if its body may differ. */
export async function renewResponse<Cached extends RenewableResponse>(
  cached: Cached,
  { app, bytes }: { app: unknown; bytes: Pick<ByteCache, 'get'> | undefined },
): Promise<Cached | null> {
  const { renewable, body, reads, headers } = cached
  if (!renewable || !body) return null
  const { changed, updatedReads } = reads.changes()
  const [moved, ...others] = changed.filter(({ name }) => !renewable.mayChange.includes(name))
  if (others.length > 0 || (moved && moved.from !== renewable.commit)) return null
  const commit = moved ? moved.to : renewable.commit
  if (typeof commit !== 'string' || !isOid(commit) || !(await renewable.isSameAt(app, commit))) return null
  const tag = renewable.tagAt(commit)
  const at = headers.indexOf('ETag')
  if (at < 0) return null
  return {
    ...cached,
    // All callers share one copy in memory.
    body: bytes?.get(tag) ?? body,
    tag,
    headers: headers.with(at + 1, `"${tag}"`),
    reads: updatedReads(),
    renewable: { ...renewable, commit },
  }
}
