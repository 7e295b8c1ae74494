/** Reads the body of a request: JSON in UTF-8, weighed as it arrives, within a share of the memory of all bodies. */
import type { Context } from 'koa'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import type { FormFile } from '../declaration.js'
import type { Share } from './byte-budget.js'
import { receive } from './incoming.js'
import { guardJson } from './json-guard.js'
import { JsonScan } from './json-scan.js'
import { jsonErrorPosition, lineAndColumn } from './json-position.js'

/** A parsed body; `count` = how many values it holds at most. */
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
  if (encoding !== undefined && encoding !== 'identity')
    throw unsupported(`Content-Encoding "${encoding}" is not supported: send the body as it is.`)
  const [type = '', ...parameters] = (ctx.req.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase())
  const form = takesForm ? ', or a form with "multipart/form-data"' : ''
  if (!JSON_TYPE.test(type))
    throw unsupported(
      `The body must be JSON with "Content-Type: application/json"${form}${type ? `, not "${type}"` : ''}.`,
    )
  const charset = parameters
    .find((part) => part.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '')
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii')
    throw unsupported(`The body's charset must be utf-8, not "${charset}".`)
}

/** The error of a body that is longer than its limit, in bytes. */
export const tooLarge = (limit: number) => (): ServiceError =>
  new ServiceError('too-large', `The body must have at most ${limit} bytes.`)

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

/** What parsed JSON takes beside its text, in bytes, by the number of its values. */
export const VALUE_BYTES = 64

/**
 * Reads the JSON body, or returns null if there is none. Depth and number of values are known before it is parsed.
 * `takesForm` is for the message alone. Throws 400, 408, 413, 415, 429, 503.
 */
export async function readJson(
  ctx: Context,
  limit: number,
  share: Share,
  takesForm = false,
): Promise<ParsedBody | null> {
  if (!announcesBody(ctx)) return null
  if (Number(ctx.req.headers['content-length'] ?? 0) > 0) checkHeaders(ctx, takesForm)
  const scan = new JsonScan()
  const pieces: Buffer[] = []
  await receive(ctx, { limit, tooLarge: tooLarge(limit), share }, (bytes) => {
    scan.push(bytes)
    pieces.push(bytes)
  })
  if (pieces.length === 0) return null
  checkHeaders(ctx, takesForm)
  share.take(scan.values * VALUE_BYTES)
  const value = parseJson(decode(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)), 'body')
  guardJson(value)
  return { value, count: scan.values }
}
