/** Renders the example panel of an operation: the request in several languages, and its responses. */
import type { ShownContent, ShownOperation, ShownSchema } from '../../model/index.js'
import { h } from '../element.js'
import type { Html, HtmlElement, RenderContext } from '../types.js'
import { codeFrame } from './code.js'
import { tabSet } from './containers.js'
import { word } from './text.js'

/** Maximum nesting and number of values in an example that is made from a schema. */
const MAX_LEVELS = 5
const MAX_VALUES = 80
const text = (value: string): Html => ({ type: 'text', value })

/** Renders the panel. */
export function examplePanel(one: ShownOperation, context: RenderContext): HtmlElement {
  const answers = one.responses.flatMap(({ status, contents }) => {
    const body = contents
      .map((content) => ({ content, sample: sampleOf(content) }))
      .find(({ sample }) => sample !== null)
    return body?.sample
      ? [{ title: [text(status)], content: [frame(body.sample, syntaxOf(body.content.type), context)] }]
      : []
  })
  const response = answers.length > 0 ? [title('response', context), ...tabSet(answers, context)] : []
  if (one.webhook) return h('div', { className: ['example'] }, response)
  const requests = Object.entries(requestsOf(one)).map(([name, [syntax, code]]) => ({
    title: [text(name)],
    content: [frame(code, syntax, context)],
  }))
  return h('div', { className: ['example'] }, title('request', context), tabSet(requests, context), response)
}

const title = (name: 'request' | 'response', context: RenderContext): HtmlElement =>
  h('p', { className: ['panel-title'] }, word(context, name))

const frame = (code: string, syntax: string, context: RenderContext): HtmlElement =>
  codeFrame({ code, syntax }, context)

const syntaxOf = (type: string): string =>
  /json/i.test(type) ? 'json' : /xml/i.test(type) ? 'xml' : /ya?ml/i.test(type) ? 'yaml' : 'text'

/** Returns the example of a content: one from the specification, else one made from its schema; null without both. */
function sampleOf({ type, schema, examples }: ShownContent): string | null {
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

interface Request {
  method: string
  url: string
  headers: [string, string][]
  body: string | null
}

function requestOf({ method, path, servers, security, parameters, body }: ShownOperation): Request {
  const required = parameters.filter((one) => one.required)
  const query = required
    .filter((one) => one.in === 'query')
    .map(
      (one) =>
        `${encodeURIComponent(one.name)}=${encodeURIComponent(asText(parsed(one.example ?? asText(sampleValue(one.schema, { level: 0, budget: { left: 1 } })))))}`,
    )
  const filled = parameters.reduce(
    (text, one) =>
      one.in === 'path' && one.example !== undefined
        ? text.replaceAll(`{${one.name}}`, () => encodeURIComponent(asText(parsed(one.example as string))))
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
        ? [['Authorization', 'Bearer YOUR_TOKEN'] as [string, string]]
        : []),
      ...required
        .filter((one) => one.in === 'header')
        .map((one): [string, string] => [one.name, one.example ?? 'text']),
      ...(sample !== null && content ? [['Content-Type', content.type] as [string, string]] : []),
    ],
    body: sample,
  }
}

const quoted = (value: string): string => `'${value.replace(/'/g, "'\\''")}'`

/** Returns the request as code, by the names of languages. */
function requestsOf(one: ShownOperation): Record<string, [syntax: string, code: string]> {
  const request = requestOf(one)
  return {
    cURL: ['bash', curl(request)],
    JavaScript: ['javascript', javascript(request)],
    Python: ['python', python(request)],
  }
}

function curl({ method, url, headers, body }: Request): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`}`,
    quoted(url),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${quoted(body)}`]),
  ]
  return lines.join(' \\\n  ')
}

function javascript({ method, url, headers, body }: Request): string {
  const members = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0
      ? []
      : [
          '  headers: {',
          ...headers.map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
          '  },',
        ]),
    ...(body === null ? [] : [`  body: JSON.stringify(${body.replace(/\n/g, '\n  ')}),`]),
  ]
  const options = members.length === 0 ? '' : `, {\n${members.join('\n')}\n}`
  return `const response = await fetch(${JSON.stringify(url)}${options})\nconst data = await response.json()`
}

function python({ method, url, headers, body }: Request): string {
  const named = (lines: string[]): string => (lines.length === 0 ? '' : `\n${lines.join('\n')}\n`)
  const options = [
    `    ${JSON.stringify(url)},`,
    ...(headers.length === 0
      ? []
      : [
          '    headers={',
          ...headers.map(([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
          '    },',
        ]),
    ...(body === null ? [] : [`    data=${JSON.stringify(body.replace(/\s*\n\s*/g, ' '))},`]),
  ]
  return `import requests\n\nresponse = requests.${/^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(method) ? method.toLowerCase() : 'request'}(${named(options)})\ndata = response.json()`
}
