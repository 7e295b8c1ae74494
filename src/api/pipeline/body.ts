import type { Context } from 'koa'
import getRawBody from 'raw-body'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import type { FormFile } from '../declaration.js'
import { guardJson } from './json-guard.js'
import { jsonErrorPosition, lineAndColumn } from './json-position.js'

/** A parsed body; `count` = how many values it holds. */
export interface ParsedBody {
  value: unknown
  count: number
  files?: ReadonlyMap<string, FormFile>
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
function checkHeaders(ctx: Context, takesForm: boolean): void {
  const encoding = ctx.req.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw unsupported(`Content-Encoding "${encoding}" is not supported: send the body as it is.`)
  const [type = '', ...parameters] = (ctx.req.headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase())
  const form = takesForm ? ', or a form with "multipart/form-data"' : ''
  if (!JSON_TYPE.test(type)) throw unsupported(`The body must be JSON with "Content-Type: application/json"${form}${type ? `, not "${type}"` : ''}.`)
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

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw badRequest('The body is not valid UTF-8.')
  }
}

/** The value of a JSON text; `what` names it in the message. Throws 400 with the place of the first mistake. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const offset = jsonErrorPosition(text)
    const how = offset >= text.length ? 'ends too early' : 'has a mistake'
    throw badRequest(`The ${what} is not valid JSON: it ${how} at position ${offset} (${lineAndColumn(text, offset)}).`)
  }
}

/** Reads the JSON body, or answers null where there is none. `takesForm` is for the message alone. Throws 400, 413, 415. */
export async function readJson(ctx: Context, limit: number, takesForm = false): Promise<ParsedBody | null> {
  if (!announcesBody(ctx)) return null
  if (Number(ctx.req.headers['content-length'] ?? 0) > 0) checkHeaders(ctx, takesForm)
  const bytes = await readBytes(ctx, limit)
  if (bytes.length === 0) return null
  checkHeaders(ctx, takesForm)
  const value = parseJson(decode(bytes), 'body')
  return { value, count: guardJson(value) }
}
