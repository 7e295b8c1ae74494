/** Reads forms in the format that browsers send without files (application/x-www-form-urlencoded). */
import type { Context } from 'koa'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import { type ParsedBody, VALUE_BYTES } from './body.js'
import type { Share } from './byte-budget.js'
import { receive } from './incoming.js'

const FIELDS = 100

/**
 * Reads the form fields with these names and ignores others. Returns null if there is no body. Throws 400, 408, 413,
 * 415, 429, 503.
 * @param limit maximum size of the form, in bytes
 */
export async function readUrlencoded(
  ctx: Context,
  limit: number,
  share: Share,
  names: readonly string[],
): Promise<ParsedBody | null> {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = ctx.req.headers
  if (!/^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type) || coding !== 'identity')
    throw new ServiceError(
      'unsupported-media-type',
      'Send the body as an uncompressed form with "Content-Type: application/x-www-form-urlencoded".',
    )
  const pieces: Buffer[] = []
  const tooLarge = (): ServiceError => new ServiceError('too-large', `The form exceeds the limit of ${limit} bytes.`)
  await receive(ctx, { limit, tooLarge, share }, (bytes) => void pieces.push(bytes))
  const text = Buffer.concat(pieces).toString('utf8')
  if (text === '') return null
  if (text.split('&', FIELDS + 1).length > FIELDS) throw badRequest(`The form has more than ${FIELDS} fields.`)
  share.take(FIELDS * VALUE_BYTES)
  const value: Record<string, string> = {}
  for (const [name, field] of new URLSearchParams(text)) {
    if (!names.includes(name)) continue
    if (Object.hasOwn(value, name))
      throw badRequest(`The form has two fields named "${name}".`, [{ path: `/${name}`, message: 'must be sent once' }])
    value[name] = field
  }
  return { value, count: names.length }
}
