/** Makes examples of requests and bodies from the parts of a specification. */
import type { ShownContent, ShownOperation, ShownParameter, ShownSchema } from '../../model/index.js'
import type { ApiRequest } from './api-request.js'

/** Maximum nesting and number of values in an example that is made from a schema. */
const MAX_LEVELS = 5
const MAX_VALUES = 80

/** Returns the example of a content: one from the specification, else one made from its schema; null without both. */
export function sampleOf({ type, schema, examples }: ShownContent): string | null {
  const [given] = examples
  if (given) return given.text
  if (!schema || !/json/i.test(type)) return null
  return JSON.stringify(sampleValue(schema, { level: 0, budget: { left: MAX_VALUES } }), null, 2)
}

interface Depth {
  level: number
  budget: { left: number }
}

/** Returns a value that a schema allows. */
function sampleValue(schema: ShownSchema, { level, budget }: Depth): unknown {
  if (--budget.left < 0 || level > MAX_LEVELS) return null
  const inside = { level: level + 1, budget }
  const known = schema.facts?.find((fact) => /^(?:default|example): /.test(fact)) ?? ''
  const given = known === '' ? schema.enum?.[0] : known.slice(known.indexOf(': ') + 2)
  if (given !== undefined) return parsed(given)
  if (schema.type.startsWith('array')) return [sampleValue(schema.inner ?? { type: itemType(schema.type) }, inside)]
  if (schema.properties)
    return Object.fromEntries(schema.properties.map((one) => [one.name, sampleValue(one.schema, inside)]))
  const first = schema.choice?.schemas[0]
  if (first) return sampleValue(first, inside)
  return plainValue(schema.type)
}

const itemType = (type: string): string => type.replace(/^array of /, '')

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

function plainValue(type: string): unknown {
  if (/^(?:integer|number)/.test(type)) return 1
  if (type.startsWith('boolean')) return true
  if (type.startsWith('array')) return []
  if (type.startsWith('null')) return null
  if (/date-time/.test(type)) return '2026-01-31T12:00:00Z'
  if (/\bdate\b/.test(type)) return '2026-01-31'
  if (/email/.test(type)) return 'name@example.org'
  if (/ur[il]/.test(type)) return 'https://example.org'
  if (/uuid/.test(type)) return '3fa85f64-5717-4562-b3fc-2c963f66afa6'
  return type.startsWith('string') ? 'text' : {}
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Returns an example of a parameter as it is written in a request. */
export const exampleOf = ({ example, schema }: ShownParameter): string =>
  asText(parsed(example ?? asText(sampleValue(schema, { level: 0, budget: { left: 1 } }))))

/** Returns the example request of an operation, with its required parameters. */
export function requestOf({ method, path, servers, security, parameters, body }: ShownOperation): ApiRequest {
  const required = parameters.filter((one) => one.required)
  const query = required
    .filter((one) => one.in === 'query')
    .map((one) => `${encodeURIComponent(one.name)}=${encodeURIComponent(exampleOf(one))}`)
  const filled = parameters.reduce(
    (text, one) =>
      one.in === 'path' && one.example !== undefined
        ? text.replaceAll(`{${one.name}}`, () => encodeURIComponent(exampleOf(one)))
        : text,
    path,
  )
  const content = body?.contents[0]
  const sample = content ? sampleOf(content) : null
  return {
    method,
    url: `${(servers[0] ?? 'https://example.org').replace(/\/$/, '')}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers: [
      ...(security.length > 0 && security[0] !== 'none'
        ? [['Authorization', 'Bearer YOUR_TOKEN'] satisfies [string, string]]
        : []),
      ...required
        .filter((one) => one.in === 'header')
        .map((one): [string, string] => [one.name, one.example ?? 'text']),
      ...(sample !== null && content ? [['Content-Type', content.type] satisfies [string, string]] : []),
    ],
    body: sample,
  }
}
