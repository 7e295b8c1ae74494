/** Kept responses that name the head of a branch, made anew for its next head, if nothing else in them has changed. */
import type { Context } from 'koa'
import type { Evidence } from '../../kernel/recording.js'
import { isOid } from '../../kernel/ids.js'
import type { Renewal } from '../declaration.js'

/** Bodies of responses by their tag. A hit saves the handler and the serialization. */
export interface ByteCache {
  get(key: string): Buffer | undefined
  set(key: string, bytes: Buffer): unknown
}

/** A kept response's way to the next commit. */
export interface Renewable extends Renewal<unknown> {
  /** The tag of the response at a commit. */
  tagAt(commit: string): string
}

/** What is renewed of a response. */
interface Renewed {
  headers: readonly string[]
  body: Buffer | null
  evidence: Evidence
  tag: string
  renewable: Renewable | null
}

/** The next response is one to the same request, so it may not depend on the tag or the coding of this one. */
const CONDITIONS = [
  'if-none-match',
  'if-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
] as const

/** Larger bodies are made anew: one is copied at once for each commit. */
const MAX_BYTES = 1024 * 1024

/** The body of a response that may be renewed: one that is whole, as it was made, and that was sent whatever the client has; else null. */
export function renewableBody({ method, status, req, res, body }: Context): Buffer | null {
  if (
    method !== 'GET' ||
    status !== 200 ||
    res.hasHeader('Content-Encoding') ||
    CONDITIONS.some((name) => req.headers[name] !== undefined)
  )
    return null
  return Buffer.isBuffer(body) && body.length <= MAX_BYTES ? body : null
}

/** The response for where the branch points now; null if it is not known to be the same but for the commit. */
export async function renewed<Kept extends Renewed>(
  kept: Kept,
  { app, bytes }: { app: unknown; bytes: Pick<ByteCache, 'get'> | undefined },
): Promise<Kept | null> {
  const { renewable, body, evidence, headers } = kept
  if (!renewable || !body) return null
  const { changed, evidence: evidenceNow } = evidence.changes()
  const [moved, ...others] = changed.filter(({ name }) => !renewable.mayChange.includes(name))
  if (others.length > 0 || (moved && moved.from !== renewable.commit)) return null
  const commit = moved ? moved.to : renewable.commit
  if (typeof commit !== 'string' || !isOid(commit) || !(await renewable.isSameAt(app, commit))) return null
  const tag = renewable.tagAt(commit)
  const named = bytes?.get(tag) ?? withCommit(body, renewable, commit)
  const at = headers.indexOf('ETag')
  if (named === null || at < 0) return null
  return {
    ...kept,
    body: named,
    tag,
    headers: headers.with(at + 1, `"${tag}"`),
    evidence: evidenceNow(),
    renewable: { ...renewable, commit },
  }
}

/** The body with another commit wherever it names its own; null if what is found there is not that alone. */
function withCommit(body: Buffer, { before, times, commit }: Renewable, to: string): Buffer | null {
  if (to === commit) return body
  if (to.length !== commit.length) return null
  const copy = Buffer.from(body)
  let found = 0
  for (let at = body.indexOf(before); at >= 0; at = body.indexOf(before, at), found++) {
    at += before.length
    if (body.toString('latin1', at, at + commit.length) !== commit) return null
    copy.write(to, at, 'latin1')
  }
  return found === times ? copy : null
}
