import busboy from 'busboy'
import type { Context } from 'koa'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import type { FormFile } from '../declaration.js'
import { type ParsedBody, parseJson } from './body.js'
import { guardJson } from './json-guard.js'

/** What a form brought: members of the body, and files by the name of their part. */
export interface FormBody extends ParsedBody {
  value: Record<string, unknown>
  files: ReadonlyMap<string, FormFile>
}

export interface FormLimits {
  /** Bytes of all fields together. */
  fieldBytes: number
  fileBytes: number
}

/** Files of one form; together they may have the bytes of four of the largest, since they are held in memory. */
const FILES = 20
const FILES_BYTES = 4
const FIELDS = 20
/** Room for the lines between the parts. */
const OVERHEAD = 64 * 1024

export const isForm = (ctx: Context): boolean => /^multipart\/form-data\s*(;|$)/i.test(ctx.req.headers['content-type'] ?? '')

const tooLarge = (message: string, part?: string): ServiceError =>
  new ServiceError('too-large', message, { headers: { Connection: 'close' }, ...(part === undefined ? {} : { details: [{ path: `/${part}`, message }] }) })

/**
 * Reads a body of multipart/form-data: fields are members of the body (JSON; taken as they are where `isText`), the rest are
 * files. Stops at the first limit. Throws 400, 413, 415.
 */
export async function readForm(ctx: Context, limits: FormLimits, isText: (member: string) => boolean): Promise<FormBody> {
  const encoding = ctx.req.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new ServiceError('unsupported-media-type', `Content-Encoding "${encoding}" is not supported: send the body as it is.`)
  const most = limits.fieldBytes + FILES_BYTES * limits.fileBytes + OVERHEAD
  if (Number(ctx.req.headers['content-length'] ?? 0) > most) throw tooLarge(`The form must have at most ${most} bytes.`)
  const { fields, files } = await collect(ctx, limits, most)
  const value = Object.fromEntries([...fields].map(([name, text]) => [name, isText(name) ? text : parseJson(text, `part "${name}"`)]))
  return { value, count: guardJson(value), files }
}

interface Parts {
  fields: Map<string, string>
  files: Map<string, FormFile>
}

function collect(ctx: Context, limits: FormLimits, most: number): Promise<Parts> {
  const parser = parserOf(ctx, limits)
  const { req } = ctx
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>()
    const files = new Map<string, FormFile>()
    const names = new Set<string>()
    let bytes = 0
    let fieldBytes = 0
    const stop = (error: Error): void => {
      req.unpipe(parser)
      req.pause()
      reject(error)
    }
    const once = (name: string | undefined): name is string => {
      const fault = !name
        ? badRequest('A part of the form has no name.')
        : names.has(name)
          ? badRequest(`The form has two parts named "${name}".`, [{ path: `/${name}`, message: 'must be sent once' }])
          : null
      if (fault) stop(fault)
      else names.add(name as string)
      return fault === null
    }
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > most) stop(tooLarge(`The form must have at most ${most} bytes.`))
    })
    parser.on('field', (name, decoded: string | undefined, { nameTruncated }) => {
      // The parser answers nothing for a charset that it does not know.
      const text = decoded ?? ''
      fieldBytes += Buffer.byteLength(text)
      if (decoded === undefined) stop(badRequest('A field of the form names a charset that is not known: send UTF-8.'))
      else if (nameTruncated) stop(badRequest('The name of a part is too long.'))
      else if (fieldBytes > limits.fieldBytes) stop(tooLarge(`The fields of the form must have at most ${limits.fieldBytes} bytes together.`, name))
      else if (once(name)) fields.set(name, text)
    })
    parser.on('file', (name, stream, { filename, mimeType }) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      // The parser says the same of itself.
      stream.on('error', () => {})
      stream.on('limit', () => stop(tooLarge(`The file "${filename ?? name}" has more than ${limits.fileBytes} bytes. Nothing was changed.`, name)))
      if (once(name)) stream.on('end', () => files.set(name, { name: filename || name, contentType: mimeType, content: Buffer.concat(pieces) }))
    })
    parser.on('filesLimit', () => stop(badRequest(`A form has at most ${FILES} files.`)))
    parser.on('fieldsLimit', () => stop(badRequest(`A form has at most ${FIELDS} fields.`)))
    parser.on('error', (error) => stop(badRequest(`The form cannot be read: ${(error as Error).message}.`)))
    parser.on('close', () => resolve({ fields, files }))
    req.on('close', () => req.readableEnded || reject(badRequest('The form ended before its announced length.')))
    req.pipe(parser)
  })
}

/** One byte more than each limit is read, so that what has just as many is told from what has more. */
function parserOf(ctx: Context, { fieldBytes, fileBytes }: FormLimits): busboy.Busboy {
  try {
    return busboy({
      headers: ctx.req.headers,
      defParamCharset: 'utf8',
      limits: { fieldSize: fieldBytes + 1, fileSize: fileBytes + 1, files: FILES, fields: FIELDS, headerPairs: 50 },
    })
  } catch (error) {
    throw badRequest(`The form cannot be read: ${(error as Error).message}.`)
  }
}
