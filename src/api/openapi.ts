// Builds the OpenAPI document from the declarations of the endpoints.
import type { TSchema } from '@sinclair/typebox'
import { errorTable } from '../kernel/errors.js'
import { type Endpoint, type Endpoints, pathParameters } from './declaration.js'
import type { AnyResolvers } from './resolver.js'
import { ErrorBody, isOptional, type JsonSchema } from './schema.js'
import { Bundle } from './schema-bundle.js'
import { defined } from '../kernel/defined.js'

/** The inputs of the document. */
interface OpenApiInput {
  endpoints: Endpoints
  resolvers: AnyResolvers
  config: { name: string; version: string; publicUrl: string | null }
  /** Prose and examples. Absent = none. */
  about?: ApiProse | undefined
}

/** The texts and examples of the document. */
export interface ApiProse {
  introduction: string
  /** Tag descriptions by section. */
  tags: Readonly<Record<string, string>>
  /** A valid body and query, by operationId. */
  examples: Readonly<Record<string, { body?: unknown; query?: Readonly<Record<string, string>> }>>
  /** Requests that the service sends, by webhook name, with their body schemas. */
  webhooks: Readonly<Record<string, { summary: string; body: TSchema }>>
}

/** Request headers that the pipeline reads. */
const requestHeaders: Record<string, JsonSchema> = {
  'X-Request-Id': {
    description:
      "Your own ID for the request, which the server's log and the response contain: 8 to 64 letters, digits, `.`, `_`, `:` or `-`.",
    schema: { type: 'string', maxLength: 64 },
  },
  'Accept-Encoding': {
    description: 'Encodings that you accept. Larger responses are compressed with `br`, `gzip` or `deflate`.',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    description: 'The `ETag` of an earlier response. If nothing has changed, the response is 304.',
    schema: { type: 'string' },
  },
  Range: {
    description: 'A part of the file, such as `bytes=0-1023`. The response is 206, or 416 if the range is invalid.',
    schema: { type: 'string' },
  },
  'If-Range': {
    description:
      'The `ETag` of the file that `Range` refers to. If the file has another one, the whole file is returned.',
    schema: { type: 'string' },
  },
}

/** Returns the request headers that an operation reads. */
function headerParameters(endpoint: Endpoint): JsonSchema[] {
  const isFile = endpoint.returns !== undefined && 'binary' in endpoint.returns
  const isRead = endpoint.method === 'GET' && endpoint.returns !== undefined && (endpoint.status ?? 200) === 200
  const names = [
    'X-Request-Id',
    'Accept-Encoding',
    ...(isRead ? ['If-None-Match'] : []),
    ...(isRead && isFile ? ['Range', 'If-Range'] : []),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

const ref = (name: string): string => `#/components/schemas/${name}`
const EVERY_RESPONSE = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']

const headers: Record<string, JsonSchema> = {
  'X-Request-Id': { description: 'Identifies the request in the log of the server.', schema: { type: 'string' } },
  RateLimit: {
    description: 'The remaining limit: r = requests, t = seconds until it is reset.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': { description: 'The limit: q = requests, w = seconds.', schema: { type: 'string' } },
  ETag: { description: 'Strong validator of the response.', schema: { type: 'string' } },
  Location: { description: 'Path of the new resource.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
  Allow: { description: 'The methods that the path supports.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'The authentication scheme.', schema: { type: 'string' } },
}
const headerRefs = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Returns the error statuses that follow from an endpoint's declaration. */
function errorStatuses(endpoint: Endpoint): number[] {
  const parameters = pathParameters(endpoint.path)
  const hidden = endpoint.deletes === 'leaf' ? parameters.slice(0, -1) : parameters
  const found = new Set<number>([429, 500, 503, ...(endpoint.fails ?? [])])
  if (endpoint.query || endpoint.body || parameters.length > 0) found.add(400)
  if (endpoint.needs !== 'public') found.add(401)
  if (endpoint.needs !== 'public' && endpoint.needs !== 'authenticated') found.add(403)
  if (hidden.length > 0) found.add(404)
  if (endpoint.method !== 'GET') found.add(507)
  if (endpoint.rawBodyLimitBytes !== undefined) found.add(408).add(413)
  if (endpoint.body) found.add(408).add(413).add(415)
  return [...found].sort((a, b) => a - b)
}

function errorResponses(): JsonSchema {
  const extra: Record<number, string> = {
    401: 'WWW-Authenticate',
    405: 'Allow',
    429: 'Retry-After',
    503: 'Retry-After',
  }
  const entries = Object.values(errorTable).map(({ status, when }) => {
    const more = extra[status]
    return [
      `Error${status}`,
      {
        description: `${when[0]?.toUpperCase()}${when.slice(1)}.`,
        headers: headerRefs(more ? ['X-Request-Id', more] : ['X-Request-Id']),
        content: { 'application/json': { schema: { $ref: ref('Error') } } },
      },
    ]
  })
  return Object.fromEntries(entries)
}

function parameters(
  endpoint: Endpoint,
  resolvers: AnyResolvers,
  bundle: Bundle,
  query: Readonly<Record<string, string>> = {},
): JsonSchema[] {
  const inPath = pathParameters(endpoint.path).map(({ name, rest }) => {
    const resolver = resolvers[endpoint.aliases?.[name] ?? name]
    const description = resolver?.description ?? (rest ? 'The rest of the path.' : undefined)
    return {
      name,
      in: 'path',
      required: true,
      ...(description ? { description } : {}),
      schema: { type: 'string', minLength: 1 },
    }
  })
  const required = new Set(endpoint.query?.required ?? [])
  const inQuery = Object.entries(endpoint.query?.properties ?? {}).map(([name, member]) => {
    const { description, deprecated, ...schema } = bundle.add(member)
    return {
      name,
      in: 'query',
      // A parameter with a default may be omitted.
      required: required.has(name) && member.default === undefined,
      ...(description ? { description } : {}),
      ...(deprecated ? { deprecated } : {}),
      schema,
      ...(query[name] === undefined ? {} : { example: query[name] }),
      ...(member.type === 'array' ? { style: 'form', explode: true } : {}),
    }
  })
  const { ifMatch } = endpoint
  const inHeader =
    ifMatch === undefined
      ? []
      : [{ name: 'If-Match', in: 'header', required: false, description: ifMatch, schema: { type: 'string' } }]
  return [...inPath, ...inQuery, ...inHeader, ...headerParameters(endpoint)]
}

function success(endpoint: Endpoint, bundle: Bundle): [status: string, response: JsonSchema] {
  const status = endpoint.status ?? (endpoint.returns ? 200 : 204)
  const description = status === 201 ? 'Created' : status === 204 ? 'Done' : status > 300 ? 'Redirect' : 'OK'
  const own =
    status === 201 || status > 300 ? ['Location'] : endpoint.method === 'GET' && status === 200 ? ['ETag'] : []
  const common = { description, headers: headerRefs([...EVERY_RESPONSE, ...own]) }
  if (!endpoint.returns) return [String(status), common]
  const content =
    'binary' in endpoint.returns
      ? { [String(endpoint.returns.binary)]: { schema: { type: 'string', format: 'binary' } } }
      : { 'application/json': { schema: bundle.add(endpoint.returns) } }
  return [String(status), { ...common, content }]
}

/**
 * Returns the body formats: JSON and, if the endpoint accepts them, forms with the members as fields and files under
 * any part names.
 */
function bodyContent(endpoint: Endpoint, body: TSchema, bundle: Bundle, example: unknown): JsonSchema {
  if (endpoint.urlencoded) return { 'application/x-www-form-urlencoded': { schema: bundle.add(body) } }
  const json = { 'application/json': { schema: bundle.add(body), ...defined({ example }) } }
  if (!endpoint.form) return json
  const properties = Object.fromEntries(
    Object.entries<TSchema>(body.properties ?? {}).map(([name, member]) => [name, bundle.add(member)]),
  )
  const encoding = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [
      name,
      { contentType: member.type === 'string' ? 'text/plain' : 'application/json' },
    ]),
  )
  return {
    ...json,
    'multipart/form-data': {
      schema: { type: 'object', properties, additionalProperties: { type: 'string', format: 'binary' } },
      encoding,
    },
  }
}

function operation(name: string, endpoint: Endpoint, { resolvers, about }: OpenApiInput, bundle: Bundle): JsonSchema {
  const isPermission = endpoint.needs !== 'public' && endpoint.needs !== 'authenticated'
  const [status, response] = success(endpoint, bundle)
  const errors = errorStatuses(endpoint).map((code) => [String(code), { $ref: `#/components/responses/Error${code}` }])
  const notModified =
    endpoint.method === 'GET' && status === '200'
      ? { 304: { description: 'Not modified', headers: headerRefs(['ETag']) } }
      : {}
  const example = about?.examples[name]
  const declared = parameters(endpoint, resolvers, bundle, example?.query)
  return {
    operationId: name,
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    tags: [endpoint.section],
    ...(endpoint.deprecated ? { deprecated: true } : {}),
    ...(endpoint.needs === 'public' ? { security: [] } : {}),
    ...(isPermission ? { 'x-permission': endpoint.needs } : {}),
    ...(declared.length > 0 ? { parameters: declared } : {}),
    ...(endpoint.body
      ? {
          requestBody: {
            required: !isOptional(endpoint.body),
            content: bodyContent(endpoint, endpoint.body, bundle, example?.body),
          },
        }
      : {}),
    ...(endpoint.rawBodyLimitBytes === undefined
      ? {}
      : { requestBody: { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } } }),
    responses: { [status]: response, ...notModified, ...Object.fromEntries(errors) },
  }
}

/** Describes a request that the service sends to webhooks. */
const outgoing = (summary: string, body: TSchema, bundle: Bundle): JsonSchema => ({
  post: {
    summary,
    parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema: bundle.add(body) } } },
    responses: { '2XX': { description: 'Received. Any other response is a failure, and the delivery is retried.' } },
  },
})

/** Returns the OpenAPI 3.1 document of the declarations. Schemas with an `$id` become components. */
export function openApiDocument(input: OpenApiInput): JsonSchema {
  const { endpoints, config, about } = input
  const bundle = new Bundle({ ref, strict: false })
  bundle.add(ErrorBody)
  const paths: Record<string, JsonSchema> = {}
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const path = endpoint.path.replaceAll('*}', '}')
    const item = (paths[path] ??= {})
    item[endpoint.method.toLowerCase()] = operation(name, endpoint, input, bundle)
  }
  const webhooks = Object.entries(about?.webhooks ?? {}).map(([name, { summary, body }]) => [
    name,
    outgoing(summary, body, bundle),
  ])
  const sections = [...new Set(Object.values(endpoints).map((endpoint) => endpoint.section))].sort()
  return {
    openapi: '3.1.0',
    info: {
      title: `${config.name} API`,
      version: config.version,
      description:
        about?.introduction ?? 'Unknown query parameters are ignored; unknown members of a body are rejected with 400.',
    },
    servers: [{ url: config.publicUrl ?? '/' }],
    security: [{ bearer: [] }],
    tags: sections.map((name) => ({
      name,
      ...(about?.tags[name] === undefined ? {} : { description: about.tags[name] }),
    })),
    paths,
    ...(webhooks.length === 0 ? {} : { webhooks: Object.fromEntries(webhooks) }),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      headers,
      parameters: Object.fromEntries(
        Object.entries(requestHeaders).map(([name, header]) => [name, { name, in: 'header', ...header }]),
      ),
      responses: errorResponses(),
      schemas: Object.fromEntries([...bundle.definitions].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}
