/** Reads multipart forms within a memory limit: fields become members of the body, the other parts become files. */
import { asError } from '../../kernel/thrown.js'
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

/** A parsed multipart form: body members, and files by part name. */
export interface FormBody extends ParsedBody {
  value: Record<string, unknown>
  files: ReadonlyMap<string, FormFile>
}

export interface FormLimits {
  /** Total bytes of all fields. */
  fieldBytes: number
  fileBytes: number
}

/**
 * Maximum number of files per form. Files stay in memory, so their total size is limited to four times the largest
 * file.
 */
const FILES = 20
const FILES_BYTES = 4
const FIELDS = 20
/** Room for the boundaries and headers of the parts. */
const OVERHEAD = 64 * 1024

export const isForm = (ctx: Context): boolean =>
  /^multipart\/form-data\s*(;|$)/i.test(ctx.req.headers['content-type'] ?? '')

const tooLarge = (message: string, part?: string): ServiceError =>
  new ServiceError('too-large', message, part === undefined ? {} : { details: [{ path: `/${part}`, message }] })

/**
 * Reads a multipart/form-data body. Fields become members of the body: parsed as JSON, or unchanged if `isText`. Other
 * parts are files.
 * Stops at the first limit. Throws 400, 408, 413, 415, 429, 503.
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
      `Content-Encoding "${encoding}" is not supported. Send the body uncompressed.`,
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

/** Collects the parts of a form as the parser finds them. Only the first fault is reported. */
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
    parser.on('filesLimit', () =>
      this.fail(badRequest(`The form has more than ${FILES} files. Send at most ${FILES} files in one request.`)),
    )
    parser.on('fieldsLimit', () => this.fail(badRequest(`The form has more than ${FIELDS} fields.`)))
    parser.on('partsLimit', () =>
      this.fail(badRequest(`The form has more than ${FILES + FIELDS} parts. Remove some parts.`)),
    )
    parser.on('error', (error) => this.fail(badRequest(`The form cannot be parsed: ${asError(error).message}.`)))
  }

  fail(error: Error): void {
    this.fault ??= error
  }

  #field(name: string | undefined, decoded: string | undefined, nameTruncated: boolean): void {
    // The parser returns nothing for an unknown charset.
    const text = decoded ?? ''
    this.#fieldBytes += Buffer.byteLength(text)
    if (decoded === undefined) this.fail(badRequest('A field of the form uses an unsupported charset. Send UTF-8.'))
    else if (nameTruncated) this.fail(badRequest('The name of a form part is too long.'))
    else if (this.#fieldBytes > this.limits.fieldBytes)
      this.fail(tooLarge(`The fields of the form exceed the limit of ${this.limits.fieldBytes} bytes in total.`, name))
    else if (this.#isNew(name)) this.fields.set(name, text)
  }

  #file(name: string | undefined, stream: Readable, filename: string | undefined, contentType: string): void {
    const pieces: Buffer[] = []
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    // The parser reports the same error itself.
    stream.on('error', () => {})
    stream.on('limit', () =>
      this.fail(
        tooLarge(
          `The file "${filename ?? name}" exceeds the limit of ${this.limits.fileBytes} bytes. Nothing was changed.`,
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
    { limit: most, tooLarge: () => tooLarge(`The form exceeds the limit of ${most} bytes.`), share },
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

/** Each limit is one byte higher than allowed, so that the reader can detect a part that is too long. */
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
    throw badRequest(`The form cannot be parsed: ${asError(error).message}.`)
  }
}
