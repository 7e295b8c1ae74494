/** Sends a file, or one range of it, with its name and type. */
import contentDisposition from 'content-disposition'
import type { Context } from 'koa'
import parseRange from 'range-parser'
import { ServiceError } from '../../kernel/errors.js'
import type { ByteRange, FileReply } from '../reply.js'
import type { ResponseMemory } from './response-hold.js'
import { noneMatches } from './etag.js'

/** Returns the requested range. Undefined = the whole file, also if several ranges are requested. Throws 416. */
function wantedRange(ctx: Context, file: FileReply): ByteRange | undefined {
  const header = ctx.req.headers.range
  if (header === undefined) return undefined
  const ifRange = ctx.req.headers['if-range']
  if (ifRange !== undefined && (file.etag === undefined || ifRange !== `"${file.etag}"`)) return undefined
  const ranges = parseRange(file.size, header, { combine: true })
  if (ranges === -1)
    throw new ServiceError(
      'range-not-satisfiable',
      `The requested range is outside the file, which has ${file.size} bytes.`,
      {
        headers: { 'Content-Range': `bytes */${file.size}` },
      },
    )
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined
  return ranges[0]
}

/**
 * Sends a file with validators, one byte range and Content-Disposition.
 * The file is opened only if its bytes will be sent and the response budget has room for them. Throws 416, 429, 503.
 */
export async function respondFile(ctx: Context, file: FileReply, hold: ResponseMemory): Promise<void> {
  const fresh = file.etag !== undefined && noneMatches(ctx.req.headers['if-none-match'], file.etag)
  const range = ctx.method === 'GET' && !fresh ? wantedRange(ctx, file) : undefined
  // A HEAD request must not open the file. Koa sends the length that is set.
  const opens = ctx.method !== 'HEAD' && !fresh
  if (opens && !file.streamed) hold.reserve(file.size)
  const body = opens ? await file.open(range) : undefined
  ctx.set('Accept-Ranges', 'bytes')
  ctx.set('Cache-Control', file.cacheControl ?? 'private, no-cache')
  ctx.set('Content-Disposition', contentDisposition(file.fileName, { type: file.disposition ?? 'attachment' }))
  if (file.etag !== undefined) {
    ctx.set('ETag', `"${file.etag}"`)
    if (fresh) {
      ctx.status = 304
      return
    }
  }
  ctx.status = range ? 206 : 200
  ctx.set('Content-Type', file.contentType)
  const length = range ? range.end - range.start + 1 : file.size
  if (range) ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${file.size}`)
  if (body !== undefined) ctx.body = body
  ctx.set('Content-Type', file.contentType)
  ctx.length = length
}
