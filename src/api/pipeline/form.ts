/** Reads forms: fields as members of the body, and files, all in bounded memory. */
import type { Readable } from 'node:stream'
import busboy from 'busboy'
import type { Context } from 'koa'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import type { FormFile } from '../declaration.js'
import { type ParsedBody, parseJson, VALUE_BYTES } from './body.js'
import type { Share } from './byte-budget.js'
import { receive } from './incoming.js'
import { guardJson } from './json-guard.js'
import { JsonScan } from './json-scan.js'

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

export const isForm = (ctx: Context): boolean =>
  /^multipart\/form-data\s*(;|$)/i.test(ctx.req.headers['content-type'] ?? '')

const tooLarge = (message: string, part?: string): ServiceError =>
  new ServiceError('too-large', message, part === undefined ? {} : { details: [{ path: `/${part}`, message }] })

/**
 * Reads a body of multipart/form-data: fields are members of the body (JSON; taken as they are if `isText`), the rest are
 * files. Stops at the first limit. Throws 400, 408, 413, 415, 429, 503.
 */
export async function readForm(
  ctx: Context,
  limits: FormLimits,
  share: Share,
  isText: (member: string) => boolean,
): Promise<FormBody> {
  const encoding = ctx.req.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new ServiceError(
      'unsupported-media-type',
      `Content-Encoding "${encoding}" is not supported: send the body as it is.`,
    )
  const { fields, files } = await collect(ctx, limits, share)
  const scan = new JsonScan()
  for (const [name, text] of fields) {
    scan.next()
    if (!isText(name)) scan.push(Buffer.from(text))
  }
  share.take(scan.values * VALUE_BYTES)
  const value = Object.fromEntries(
    [...fields].map(([name, text]) => [name, isText(name) ? text : parseJson(text, `part "${name}"`)]),
  )
  guardJson(value)
  return { value, count: scan.values, files }
}

interface Parts {
  fields: Map<string, string>
  files: Map<string, FormFile>
}

/** The parts of a form, as they are found; the first fault counts. */
class Collector {
  readonly fields = new Map<string, string>()
  readonly files = new Map<string, FormFile>()
  readonly #names = new Set<string>()
  #fieldBytes = 0
  fault: Error | null = null

  constructor(
    parser: busboy.Busboy,
    private readonly limits: FormLimits,
  ) {
    parser.on('field', (name, decoded: string | undefined, { nameTruncated }) =>
      this.#field(name, decoded, nameTruncated),
    )
    parser.on('file', (name, stream, { filename, mimeType }) => this.#file(name, stream, filename, mimeType))
    parser.on('filesLimit', () => this.fail(badRequest(`A form has at most ${FILES} files.`)))
    parser.on('fieldsLimit', () => this.fail(badRequest(`A form has at most ${FIELDS} fields.`)))
    parser.on('partsLimit', () => this.fail(badRequest(`A form has at most ${FILES + FIELDS} parts.`)))
    parser.on('error', (error) => this.fail(badRequest(`The form cannot be read: ${(error as Error).message}.`)))
  }

  fail(error: Error): void {
    this.fault ??= error
  }

  #field(name: string | undefined, decoded: string | undefined, nameTruncated: boolean): void {
    // The parser returns nothing for a charset that it does not know.
    const text = decoded ?? ''
    this.#fieldBytes += Buffer.byteLength(text)
    if (decoded === undefined)
      this.fail(badRequest('A field of the form names a charset that is not supported: send UTF-8.'))
    else if (nameTruncated) this.fail(badRequest('The name of a part is too long.'))
    else if (this.#fieldBytes > this.limits.fieldBytes)
      this.fail(tooLarge(`The fields of the form must have at most ${this.limits.fieldBytes} bytes together.`, name))
    else if (this.#isNew(name)) this.fields.set(name, text)
  }

  #file(name: string | undefined, stream: Readable, filename: string | undefined, contentType: string): void {
    const pieces: Buffer[] = []
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    // The parser says the same of itself.
    stream.on('error', () => {})
    stream.on('limit', () =>
      this.fail(
        tooLarge(
          `The file "${filename ?? name}" has more than ${this.limits.fileBytes} bytes. Nothing was changed.`,
          name,
        ),
      ),
    )
    if (this.#isNew(name))
      stream.on('end', () =>
        this.files.set(name, { name: filename || name, contentType, content: Buffer.concat(pieces) }),
      )
  }

  #isNew(name: string | undefined): name is string {
    if (!name) this.fail(badRequest('A part of the form has no name.'))
    else if (this.#names.has(name))
      this.fail(
        badRequest(`The form has two parts named "${name}".`, [{ path: `/${name}`, message: 'must be sent once' }]),
      )
    else {
      this.#names.add(name)
      return true
    }
    return false
  }
}

async function collect(ctx: Context, limits: FormLimits, share: Share): Promise<Parts> {
  const parser = parserOf(ctx, limits)
  const parts = new Collector(parser, limits)
  const closed = new Promise<void>((resolve) => parser.on('close', resolve))
  const most = limits.fieldBytes + FILES_BYTES * limits.fileBytes + OVERHEAD
  await receive(
    ctx,
    { limit: most, tooLarge: () => tooLarge(`The form must have at most ${most} bytes.`), share },
    (bytes) => {
      parser.write(bytes)
      if (parts.fault) throw parts.fault
    },
  )
  parser.end()
  if (!parts.fault) await closed
  if (parts.fault) throw parts.fault
  return parts
}

/** One byte more than each limit is read, so that what has just as many is told from what has more. */
function parserOf(ctx: Context, { fieldBytes, fileBytes }: FormLimits): busboy.Busboy {
  try {
    return busboy({
      headers: ctx.req.headers,
      defParamCharset: 'utf8',
      limits: {
        fieldSize: fieldBytes + 1,
        fileSize: fileBytes + 1,
        files: FILES,
        fields: FIELDS,
        parts: FILES + FIELDS,
        headerPairs: 50,
      },
    })
  } catch (error) {
    throw badRequest(`The form cannot be read: ${(error as Error).message}.`)
  }
}
