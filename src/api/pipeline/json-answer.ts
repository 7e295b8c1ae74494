import type { Context } from 'koa'
import { type CodedCache, coded, codingFor } from './compressed.js'
import { noneMatches, tagOfBytes } from './etag.js'

/**
 * Sends a body, compressed where the client takes that; GET and HEAD carry an ETag (`tag`, or a hash of the bytes) and may be
 * answered by 304. A strong tag names bytes, so each coding has its own.
 */
export async function answerBytes(ctx: Context, status: number, type: string, body: string | Buffer, tag?: string, cache?: CodedCache): Promise<void> {
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

/** Whether the client has the answer already. Its "no-cache" (which `fetch` adds to every If-None-Match) asks for this very check. */
export function isFresh(ctx: Context, tag: string): boolean {
  return noneMatches(ctx.req.headers['if-none-match'], tag)
}
