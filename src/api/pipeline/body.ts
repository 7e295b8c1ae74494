import type { Context } from 'koa'
import getRawBody from 'raw-body'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import { guardJson } from './json-guard.js'
import { jsonErrorPosition, lineAndColumn } from './json-position.js'

/** A parsed body; `count` = how many values it holds. */
export interface JsonBody {
  value: unknown
  count: number
}

const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)$/
const utf8 = new TextDecoder('utf-8', { fatal: true })

const unsupported = (message: string): ServiceError => new ServiceError('unsupported-media-type', message)

/** Whether the request announces a body at all. */
function announcesBody(ctx: Context): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = ctx.req.headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}

/** Throws 415 unless the headers say JSON in UTF-8, not compressed. */
function checkHeaders(ctx: Context): void {
  const encoding = ctx.req.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw unsupported(`Content-Encoding "${encoding}" is not supported: send the body as it is.`)
  const [type = '', ...parameters] = (ctx.req.headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase())
  if (!JSON_TYPE.test(type)) throw unsupported(`The body must be JSON with "Content-Type: application/json"${type ? `, not "${type}"` : ''}.`)
  const charset = parameters
    .find((part) => part.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '')
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii')
    throw unsupported(`The body's charset must be utf-8, not "${charset}".`)
}

async function readBytes(ctx: Context, limit: number): Promise<Buffer> {
  const length = ctx.req.headers['content-length']
  try {
    return await getRawBody(ctx.req, { limit, ...(length === undefined ? {} : { length }) })
  } catch (thrown) {
    const type = (thrown as { type?: string }).type
    if (type === 'entity.too.large') throw new ServiceError('too-large', `The body must have at most ${limit} bytes.`, { headers: { Connection: 'close' } })
    if (type === 'request.aborted' || type === 'request.size.invalid') throw badRequest('The body ended before its announced length.')
    throw thrown
  }
}

function parse(bytes: Buffer): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw badRequest('The body is not valid UTF-8.')
  }
  try {
    return JSON.parse(text)
  } catch {
    const offset = jsonErrorPosition(text)
    const what = offset >= text.length ? 'ends too early' : 'has a mistake'
    throw badRequest(`The body is not valid JSON: it ${what} at position ${offset} (${lineAndColumn(text, offset)}).`)
  }
}

/** Reads the JSON body, or answers null where there is none. Throws 400, 413, 415. */
export async function readJson(ctx: Context, limit: number): Promise<JsonBody | null> {
  if (!announcesBody(ctx)) return null
  if (Number(ctx.req.headers['content-length'] ?? 0) > 0) checkHeaders(ctx)
  const bytes = await readBytes(ctx, limit)
  if (bytes.length === 0) return null
  checkHeaders(ctx)
  const value = parse(bytes)
  return { value, count: guardJson(value) }
}
