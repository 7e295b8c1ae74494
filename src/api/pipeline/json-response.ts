// Sends responses whose bytes are known whole, compressed if the client takes that, or 304 if it has them.
import type { Context } from 'koa'
import { type CodedCache, coded, codingFor } from './compressed.js'
import { noneMatches, tagOfBytes } from './etag.js'

/** A response whose body is known whole. */
interface BytesResponse {
  status: number
  /** Its Content-Type. */
  type: string
  body: string | Buffer
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
    const etag = tag ?? tagOfBytes(body)
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
  ctx.body = coding ? await coded(coding, typeof body === 'string' ? Buffer.from(body) : body, cache) : body
  if (coding) res.setHeader('Content-Encoding', coding)
}

/** Whether the client has the response already. Its "no-cache" (which `fetch` adds to every If-None-Match) asks for this very check. */
export function isFresh(ctx: Context, tag: string): boolean {
  return noneMatches(ctx.req.headers['if-none-match'], tag)
}
