/** Prepares each endpoint once: its checks, its resolvers in path order, and its schemas. */
import type { TSchema } from '@sinclair/typebox'
import type { Context } from 'koa'
import { type Binary, type Endpoint, pathParameters, scopeOf } from '../declaration.js'
import type { AnyResolver, AnyResolvers } from '../resolver.js'
import { isOptional } from '../schema.js'
import type { Share } from './byte-budget.js'
import { type FormBody, type FormLimits, readForm } from './form.js'
import { type QueryResult, queryReader } from './query.js'
import type { Check, SchemaCompiler } from './schemas.js'

/** A path parameter and its resolver. */
interface Step {
  name: string
  rest: boolean
  resolver: AnyResolver
}

/** An endpoint that is ready to serve requests. */
export interface CompiledEndpoint {
  operationId: string
  method: Endpoint['method']
  path: string
  endpoint: Endpoint
  steps: readonly Step[]
  /** Null if a token is enough, or if none is needed. */
  permission: string | null
  /** Index of the step that loads the resource that the permission applies to; -1 without a permission. */
  askAfter: number
  status: number
  /** Null if the endpoint declares no query. */
  query: ((search: string) => QueryResult) | null
  body: { required: boolean; check: (count: number) => Check } | null
  /** Reads the body from a form; null if the endpoint does not accept forms. */
  form: ((ctx: Context, limits: FormLimits, share: Share) => Promise<FormBody>) | null
  response: (() => Check) | null
}

export const isBinary = (returns: Endpoint['returns']): returns is Binary =>
  returns !== undefined && 'binary' in returns

function steps(operationId: string, endpoint: Endpoint, resolvers: AnyResolvers): Step[] {
  const loaded = new Set<string>()
  return pathParameters(endpoint.path).map(({ name, rest }) => {
    const key = endpoint.aliases?.[name] ?? name
    const resolver = Object.hasOwn(resolvers, key) ? resolvers[key] : undefined
    if (!resolver) throw new Error(`${operationId}: no resolver "${key}" for {${name}}`)
    const missing = (resolver.needs ?? []).filter((one) => !loaded.has(one))
    if (missing.length > 0)
      throw new Error(`${operationId}: {${name}} requires ${missing.join(', ')} to be loaded before`)
    if (loaded.has(resolver.as)) throw new Error(`${operationId}: two parameters load "${resolver.as}"`)
    loaded.add(resolver.as)
    return { name, rest, resolver }
  })
}

/**
 * Compiles one declaration. Throws if it contradicts itself or has an invalid schema, so that mistakes stop the start.
 */
export function compileEndpoint(
  operationId: string,
  endpoint: Endpoint,
  resolvers: AnyResolvers,
  compiler: SchemaCompiler,
): CompiledEndpoint {
  if (!/^\/(v1(\/|$)|public\/)/.test(endpoint.path))
    throw new Error(`${operationId}: the path must start with /v1, or with /public for published content`)
  if (endpoint.body && (endpoint.method === 'GET' || endpoint.method === 'DELETE'))
    throw new Error(`${operationId}: ${endpoint.method} must not declare a body`)
  if (
    endpoint.rawBodyLimitBytes !== undefined &&
    (endpoint.body || endpoint.method === 'GET' || endpoint.method === 'DELETE')
  )
    throw new Error(`${operationId}: a raw body excludes a JSON body and needs a method that accepts bodies`)
  if (endpoint.deletes && endpoint.method !== 'DELETE')
    throw new Error(`${operationId}: only DELETE may declare "deletes"`)
  const permission = endpoint.needs === 'authenticated' || endpoint.needs === 'public' ? null : endpoint.needs
  const loaded = steps(operationId, endpoint, resolvers)
  const askAfter = permission === null ? -1 : loaded.findIndex(({ resolver }) => resolver.as === scopeOf(permission))
  if (permission !== null && askAfter < 0)
    throw new Error(`${operationId}: no parameter loads the resource that "${permission}" applies to`)
  const json = endpoint.returns && !isBinary(endpoint.returns) ? endpoint.returns : null
  return {
    operationId,
    method: endpoint.method,
    path: endpoint.path,
    endpoint,
    steps: loaded,
    permission,
    askAfter,
    status: statusOf(endpoint),
    query: endpoint.query ? queryReader(compiler, endpoint.query) : null,
    body: endpoint.body ? { required: !isOptional(endpoint.body), check: compiler.body(endpoint.body) } : null,
    form: endpoint.form ? formReader(endpoint.body, endpoint.form) : null,
    response: json ? compiler.response(json) : null,
  }
}

function formReader(body: TSchema | undefined, complete: NonNullable<Endpoint['form']>): CompiledEndpoint['form'] {
  const isText = (member: string): boolean => body?.properties?.[member]?.type === 'string'
  return async (ctx, limits, share) => {
    const read = await readForm(ctx, limits, share, isText)
    return { ...read, value: complete(read.value, read.files) }
  }
}

/** Returns the status of a successful response. */
const statusOf = (endpoint: Endpoint): number => endpoint.status ?? (endpoint.returns ? 200 : 204)
