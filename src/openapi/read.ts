/** Parses, validates and bundles a specification with the library. Runs in the process of `entry.ts`. */
import {
  BaseResolver,
  bundle,
  type Document,
  getLineColLocation,
  lintDocument,
  type NormalizedProblem,
  Source,
} from '@redocly/openapi-core'
import { compareOutlines } from './compare.js'
import type { FetchedFile, ReadSpec, SpecProblem } from './messages.js'
import { outlineOf } from './outline.js'
import { partsOf } from './parts.js'
import { ParseFailure, parseText } from './parse.js'
import { refusing, rules } from './rules.js'
import { defined } from '../kernel/defined.js'
import { isRecord } from '../kernel/guards.js'

/** Thrown if a specification cannot be used. */
export class Unusable extends Error {
  constructor(readonly problem: SpecProblem) {
    super(problem.message)
  }
}

/** Thrown if a file could not be fetched. */
export class Unfetched extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message)
  }
}

/** A placeholder for the address of a specification that was given as text. No reference can be relative to it. */
const TEXT_ADDRESS = 'text:///specification'
const READABLE = /\.(ya?ml|json)$/i
const READABLE_TYPE = /json|yaml|openapi/i

/** Gets referenced files from the service, never from this machine. */
class FetchingResolver extends BaseResolver {
  // Size limit: files of one specification
  readonly failures: Unfetched[] = []

  constructor(private readonly fetchFile: (url: string) => Promise<FetchedFile>) {
    super()
  }

  override resolveExternalRef(base: string | null, ref: string): string {
    return URL.canParse(ref, base ?? undefined) ? new URL(ref, base ?? undefined).href : ref
  }

  override async loadExternalRef(url: string): Promise<Source> {
    try {
      if (url.startsWith('text:'))
        throw new Unfetched(
          `A specification that was sent as text has no address to which ${url.slice(8)} could be relative. Use full URLs, or send the URL of the specification.`,
          'FETCH_ERROR',
        )
      const file = await this.fetchFile(url)
      return new Source(file.url, new TextDecoder().decode(file.body), file.contentType)
    } catch (error) {
      if (error instanceof Unfetched) this.failures.push(error)
      throw error
    }
  }

  override parseDocument(source: Source): Document {
    const isReadable = READABLE.test(new URL(source.absoluteRef).pathname) || READABLE_TYPE.test(source.mimeType ?? '')
    return { source, parsed: isReadable ? parseFile(source) : source.body }
  }
}

function parseFile(source: Source, root?: string): unknown {
  try {
    return parseText(source.body)
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error
    const { message, line, column } = error
    throw new Unusable(problemAt(`${message}.`, source, { line, column, root }))
  }
}

/** The position of a problem in a file. `root` is the address of the specification itself, which is not named. */
interface FilePosition {
  line?: number | undefined
  column?: number | undefined
  root?: string | undefined
}

/** Returns a problem with its position, which the message also contains. */
function problemAt(message: string, { absoluteRef }: Source, { line, column, root }: FilePosition): SpecProblem {
  const file = absoluteRef === root || absoluteRef === TEXT_ADDRESS ? undefined : absoluteRef
  const where = [
    ...(file === undefined ? [] : [file]),
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(column === undefined ? [] : [`column ${column}`]),
  ]
  const place = where.join(', ').replace(/^line/, 'Line')
  return {
    message: place === '' ? message : `${place}: ${message}`,
    ...defined({ file, line, column }),
  }
}

const VERSIONS = 'OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 are supported.'

/** Throws unless the version is supported. YAML without quotes turns the version into a number, which is accepted. */
function checkVersion(parsed: unknown, source: Source): Record<string, unknown> {
  const reject = (message: string): never => {
    throw new Unusable(problemAt(`${message} ${VERSIONS}`, source, { root: source.absoluteRef }))
  }
  if (!isRecord(parsed)) return reject('This is not an OpenAPI specification: it is not an object.')
  if (parsed.swagger === 2) parsed.swagger = '2.0'
  if (typeof parsed.openapi === 'number') parsed.openapi = `${parsed.openapi}.0`
  const { openapi, swagger } = parsed
  if (openapi === undefined && swagger === undefined)
    return reject('This is not an OpenAPI specification: it has no field `openapi` or `swagger` at its top level.')
  if (swagger !== '2.0' && !/^3\.[012]\.\d+(-\S+)?$/.test(String(openapi)))
    return reject(`The version ${JSON.stringify(openapi ?? swagger).slice(0, 40)} is not supported.`)
  return parsed
}

function firstProblem(
  errors: readonly NormalizedProblem[],
  root: string,
  failures: readonly Unfetched[],
): SpecProblem | null {
  const [first] = errors
  if (!first) return null
  const failed = failures.find((one) => first.message.includes(one.message))
  const place = first.location[0]
  const at = place && getLineColLocation(place)
  const pointer = place?.pointer === undefined ? '' : ` (${place.pointer.slice(0, 200)})`
  const more = errors.length > 1 ? ` There are ${errors.length - 1} more problems.` : ''
  const message = `${first.message.slice(0, 1000).replace(/\.$/, '')}${pointer}.${more}`
  const problem = problemAt(message, place?.source ?? new Source(root, ''), {
    line: at?.start.line,
    column: at?.start.col,
    root,
  })
  return failed ? { ...problem, code: failed.code } : problem
}

/** Reads a specification. Throws `Unusable`. */
export async function readBundled(
  input: { body: Uint8Array; url: string | null; resultBytes: number; previous: Uint8Array | null },
  fetchFile: (url: string) => Promise<FetchedFile>,
): Promise<ReadSpec> {
  const root = input.url ?? TEXT_ADDRESS
  const source = new Source(root, new TextDecoder().decode(input.body))
  const config = await rules()
  const externalRefResolver = new FetchingResolver(fetchFile)
  const document = { source, parsed: checkVersion(parseFile(source, root), source) }
  const version = String(document.parsed.openapi ?? document.parsed.swagger)
  const problem = firstProblem(
    refusing(await lintDocument({ document, config, externalRefResolver }), version),
    root,
    externalRefResolver.failures,
  )
  if (problem) throw new Unusable(problem)
  const bundled = await bundle({ doc: document, config, externalRefResolver })
  const left = firstProblem(refusing(bundled.problems, version), root, externalRefResolver.failures)
  if (left) throw new Unusable(left)
  const value = bundled.bundle.parsed as Record<string, unknown>
  const json = Buffer.from(JSON.stringify(value))
  if (json.length > input.resultBytes)
    throw new Unusable({
      message: `With the files that it refers to, it has more than ${input.resultBytes} bytes. Split it into several specifications.`,
    })
  const outline = outlineOf(value)
  return {
    document: json,
    outline: Buffer.from(JSON.stringify(outline)),
    ...partsOf(value),
    openapi: outline.openapi,
    title: outline.title,
    changes: input.previous ? compareOutlines(JSON.parse(new TextDecoder().decode(input.previous)), outline) : null,
  }
}
