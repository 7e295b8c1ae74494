import type { Context } from 'koa'
import compress from 'koa-compress'
import { noneMatches, tagOfBytes } from './etag.js'

/** Smaller answers fit one packet anyhow. */
const COMPRESS_BYTES = 1400
const compressBody = compress({ threshold: COMPRESS_BYTES })
const nothing = async (): Promise<void> => {}

/** Sends a body; GET and HEAD carry an ETag (`tag`, or a hash of the bytes) and may be answered by 304. */
export async function answerBytes(ctx: Context, status: number, type: string, body: string | Buffer, tag?: string): Promise<void> {
  const { res } = ctx
  if (status === 200 && (ctx.method === 'GET' || ctx.method === 'HEAD')) {
    const etag = tag ?? tagOfBytes(body)
    res.setHeader('ETag', `"${etag}"`)
    if (isFresh(ctx, etag)) {
      ctx.status = 304
      return
    }
  }
  res.setHeader('Content-Type', type)
  ctx.status = status
  ctx.body = body
  if (body.length >= COMPRESS_BYTES && ctx.req.headers['accept-encoding'] !== undefined) await compressAnswer(ctx)
}

/** Whether the client has the answer already. Its "no-cache" (which `fetch` adds to every If-None-Match) asks for this very check. */
export function isFresh(ctx: Context, tag: string): boolean {
  return noneMatches(ctx.req.headers['if-none-match'], tag)
}

/** A strong tag names bytes, so each coding has its own. */
async function compressAnswer(ctx: Context): Promise<void> {
  await compressBody(ctx, nothing)
  const coding = ctx.response.get('Content-Encoding')
  const etag = ctx.response.get('ETag')
  if (coding && etag) ctx.set('ETag', `${etag.slice(0, -1)}-${coding}"`)
}
