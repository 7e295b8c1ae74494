// Sends responses whose body is complete: compressed if the client accepts it, or as 304 if the client has it.
import type { Context } from 'koa'
import { type CodedCache, coded, codingFor } from './compressed.js'
import { noneMatches, tagOfBytes } from './etag.js'
import { LargeBody } from './large-body.js'
import type { RequestState } from './request-state.js'

/** A response with a complete body. */
interface BytesResponse {
  status: number
  /** The Content-Type. */
  type: string
  body: string | Buffer | LargeBody
  /** The opaque tag for the ETag; absent = a hash of the body. */
  tag?: string | undefined
  /** The cache for its compressed forms. */
  cache?: CodedCache
}

/**
 * Sends a body, compressed if the client accepts it. Responses to GET and HEAD carry an ETag and may become a 304.
 * A strong tag identifies bytes, so each coding has its own tag.
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

/** Sends a body piece by piece as the client reads it. All of it counts as memory until it is sent. Throws 429, 503. */
function sendPieces(ctx: Context, body: LargeBody): void {
  const { response }: RequestState = ctx.state
  if (ctx.method !== 'HEAD') response.reserve(body.length)
  ctx.body = body.stream()
  ctx.length = body.length
}

/**
 * Whether the client already has the response. `fetch` adds "no-cache" to every If-None-Match; it asks for exactly this
 * check.
 */
export function isFresh(ctx: Context, tag: string): boolean {
  return noneMatches(ctx.req.headers['if-none-match'], tag)
}
