/**
 * Reads JSON request bodies (UTF-8). Their size is checked as they arrive and counted against the shared memory budget.
 */
import { required } from '../../kernel/defined.js'
import type { Context } from 'koa'
import { NotJson, ServiceError } from '../../kernel/errors.js'
import type { FormFile } from '../declaration.js'
import type { Share } from './byte-budget.js'
import { receive } from './incoming.js'
import { guardJson } from './json-guard.js'
import { JsonScan } from './json-scan.js'
import { jsonErrorPosition, lineAndColumn } from './json-position.js'

/** A parsed body. `count` is the maximum number of values in it. */
export interface ParsedBody {
  value: unknown
  count: number
  files?: ReadonlyMap<string, FormFile>
}

const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)$/
const utf8 = new TextDecoder('utf-8', { fatal: true })

const unsupported = (message: string): ServiceError => new ServiceError('unsupported-media-type', message)

/** Whether the request announces a body. */
function announcesBody(ctx: Pick<Context, 'req'>): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = ctx.req.headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}

/** Throws 415 unless the headers declare uncompressed JSON in UTF-8. */
function checkHeaders(ctx: Pick<Context, 'req'>, takesForm: boolean): void {
  const encoding = ctx.req.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw unsupported(`Content-Encoding "${encoding}" is not supported. Send the body uncompressed.`)
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

/** Returns a function that creates the error for a body over the limit, in bytes. */
export const tooLarge = (limit: number) => (): ServiceError =>
  new ServiceError('too-large', `The body must have at most ${limit} bytes.`)

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new NotJson('The body is not valid UTF-8.')
  }
}

/** Parses a JSON text; `what` names it in the message. Throws 400 with the position of the first mistake. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const offset = jsonErrorPosition(text)
    const how = offset >= text.length ? 'ends too early' : 'has a mistake'
    throw new NotJson(
      `The ${what} is not valid JSON: it ${how} at position ${offset} (${lineAndColumn(text, offset)}).`,
    )
  }
}

/** Estimated memory for each parsed JSON value, in bytes, in addition to the text. */
export const VALUE_BYTES = 64

/**
 * Reads the JSON body, or returns null if there is none. Depth and number of values are checked before parsing.
 * `takesForm` only affects the error message. Throws 400, 408, 413, 415, 429, 503.
 */
export async function readJson(
  ctx: Pick<Context, 'req' | 'res'>,
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
  const value = parseJson(decode(pieces.length === 1 ? required(pieces[0]) : Buffer.concat(pieces)), 'body')
  guardJson(value)
  return { value, count: scan.values }
}

/** Reads a JSON body that counts against the budget until the response is sent; null = none. Throws like `readJson`. */
export async function readCountedJson(
  ctx: Pick<Context, 'req' | 'res'>,
  limit: number,
  share: Share,
): Promise<unknown> {
  ctx.res.once('close', () => share.release())
  return (await readJson(ctx, limit, share))?.value ?? null
}
