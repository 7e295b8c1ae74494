// Sends responses whose bytes are all known, compressed if the client takes that, or 304 if it has them.
import type { Context } from 'koa'
import { type CodedCache, coded, codingFor } from './compressed.js'
import { noneMatches, tagOfBytes } from './etag.js'
import { LargeBody } from './large-body.js'
import type { RequestState } from './request-state.js'

/** A response whose body is known. */
interface BytesResponse {
  status: number
  /** Its Content-Type. */
  type: string
  body: string | Buffer | LargeBody
  /** The opaque tag of its ETag; absent = a hash of the body. */
  tag?: string | undefined
  /** Where its compressed forms are kept. */
  cache?: CodedCache
}

/**
 * Sends a body, compressed if the client accepts that. Responses to GET and HEAD carry an ETag and may become a 304. A strong
 * tag names bytes, so each coding has its own.
 */
export async function respondBytes(ctx: Context, { status, type, body, tag, cache }: BytesResponse): Promise<void> {
  const { res } = ctx
  const coding = codingFor(ctx, type, body.length)
  if (status === 200 && (ctx.method === 'GET' || ctx.method === 'HEAD')) {
    const etag = tag ?? (body instanceof LargeBody ? await body.tag() : tagOfBytes(body))
    const own = coding ? `${etag}-${coding}` : etag
    res.setHeader('ETag', `"${own}"`)
    if (isFresh(ctx, etag)) {
      res.setHeader('ETag', `"${etag}"`)
      ctx.status = 304
      return
    }
  }
  res.setHeader('Content-Type', type)
  ctx.status = status
  const sent = coding ? await coded(coding, typeof body === 'string' ? Buffer.from(body) : body, cache) : body
  if (sent instanceof LargeBody) sendPieces(ctx, sent)
  else ctx.body = sent
  if (coding) res.setHeader('Content-Encoding', coding)
}

/** Sends a body piece by piece as the client takes it. Its memory is counted whole until all is sent. Throws 429, 503. */
function sendPieces(ctx: Context, body: LargeBody): void {
  if (ctx.method !== 'HEAD') (ctx.state as RequestState).response.reserve(body.length)
  ctx.body = body.stream()
  ctx.length = body.length
}

/** Whether the client has the response already. Its "no-cache" (which `fetch` adds to every If-None-Match) asks for this very check. */
export function isFresh(ctx: Context, tag: string): boolean {
  return noneMatches(ctx.req.headers['if-none-match'], tag)
}
