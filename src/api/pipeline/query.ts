// Parses the query of a URL against the schema of its endpoint.
import { badRequest, type ErrorDetail } from '../../kernel/errors.js'
import type { SchemaCompiler } from './schemas.js'
import { violations } from './violations.js'

/** A parsed query, or its errors. */
export type QueryResult = { value: Record<string, unknown> } | { details: ErrorDetail[] }

const BAD_ESCAPE = /%(?![0-9a-f]{2})/i

/** Throws 400 if a percent-encoding is invalid, or decodes to NUL or to bytes that are not UTF-8. */
export function checkEncoding(text: string, where: string): void {
  if (!text.includes('%')) return
  try {
    if (!BAD_ESCAPE.test(text) && !decodeURIComponent(text).includes('\0')) return
  } catch {
    // The bytes are not UTF-8. This is reported below.
  }
  throw badRequest(`The ${where} is not valid percent-encoded UTF-8. Encode each byte as % and two hex digits.`)
}

/** Maximum number of names that one response reports. */
const MAX_COMPLAINTS = 20

/**
 * Returns the part of a name that other conventions share: `visitorToken` for `visitorToken[]`, `VisitorToken` and
 * `visitorToken.0`.
 */
const stem = (name: string): string =>
  name
    .replace(/[[.].*$/s, '')
    .trim()
    .toLowerCase()

/**
 * Compiles the reader of a query. Undeclared names are ignored, because clients add their own, unless they are a
 * variant of a declared name:
 * if `visitorToken[]` were ignored, a visitor would get the page without a token.
 * A repeated name becomes an array, texts are coerced, defaults are filled in.
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
