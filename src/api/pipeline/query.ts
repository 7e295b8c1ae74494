// Parses the query of a URL by the schema of its endpoint.
import { badRequest, type ErrorDetail } from '../../kernel/errors.js'
import type { SchemaCompiler } from './schemas.js'
import { violations } from './violations.js'

/** A parsed query, or what is wrong with it. */
export type QueryResult = { value: Record<string, unknown> } | { details: ErrorDetail[] }

const BAD_ESCAPE = /%(?![0-9a-f]{2})/i

/** Throws 400 if a percent-encoding is invalid, or decodes to a NUL or to bytes that are not UTF-8. */
export function checkEncoding(text: string, where: string): void {
  if (!text.includes('%')) return
  try {
    if (!BAD_ESCAPE.test(text) && !decodeURIComponent(text).includes('\0')) return
  } catch {
    // bytes that are not UTF-8: reported below
  }
  throw badRequest(`The ${where} is not properly percent-encoded.`)
}

/** Maximum number of names that one response complains about. */
const MAX_COMPLAINTS = 20

/** The part of a name that other conventions keep: `visitorToken` in `visitorToken[]`, `VisitorToken` and `visitorToken.0`. */
const stem = (name: string): string =>
  name
    .replace(/[[.].*$/s, '')
    .trim()
    .toLowerCase()

/**
 * Compiles the reading of a query. A name that is not declared is ignored, since clients add their own, unless it is another form of one that is:
 * ignoring `visitorToken[]` would show the page of a visitor without a token. A name given several times is an array, texts are coerced, defaults filled in.
 */
export function queryReader(compiler: SchemaCompiler, schema: { properties: object }): (search: string) => QueryResult {
  const compiled = compiler.query(schema)
  const names = new Set(Object.keys(schema.properties))
  const byStem = new Map([...names].map((name) => [stem(name), name]))
  const run = (value: Record<string, unknown>): QueryResult => {
    const check = compiled()
    return check(value) ? { value } : { details: violations(check.errors ?? [], 'query') }
  }
  let empty: QueryResult | undefined
  return (search) => {
    if (search === '') {
      empty ??= run({})
      return 'value' in empty ? { value: { ...empty.value } } : empty
    }
    checkEncoding(search, 'query')
    const value: Record<string, unknown> = {}
    const details: ErrorDetail[] = []
    const parameters = new URLSearchParams(search)
    for (const name of new Set(parameters.keys())) {
      if (!names.has(name)) {
        const meant = byStem.get(stem(name))
        if (meant !== undefined && details.length < MAX_COMPLAINTS)
          details.push({ path: `query/${name.slice(0, 100)}`, message: `must be written as "${meant}"` })
        continue
      }
      const values = parameters.getAll(name)
      value[name] = values.length === 1 ? values[0] : values
    }
    const result = run(value)
    if (details.length === 0) return result
    return { details: 'details' in result ? [...details, ...result.details] : details }
  }
}
