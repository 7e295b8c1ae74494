// Finds the endpoint for a method and path.
import { Router } from '@koa/router'
import { badRequest, notFound, ServiceError } from '../../kernel/errors.js'
import { type Method, pathParameters } from '../declaration.js'
import { checkEncoding } from './query.js'

/** An endpoint with a path. */
interface Routed {
  method: Method
  path: string
}

/** The result of matching a request. */
type Match<E> = { found: E; parameters: readonly string[] } | { allow: readonly string[] }

const REST = 4096
const PARAMETER = 256
const MANY_SEGMENTS = '*'

/** Sorts literal segments before parameters, and the rest of a path last: `/members/me` before `/members/{userId}`. */
const specificity = (path: string): string => path.replaceAll(/\{\w+\*\}/g, '~~').replaceAll(/\{\w+\}/g, '~')

/**
 * Paths with the same collection and length share a router, so a match tests a handful of patterns instead of hundreds.
 */
const bucketOf = (path: string, segments: number): string => `${path.split('/', 3)[2] ?? ''}:${segments}`
const count = (path: string): number => path.split('/').length

/**
 * Converts `/v1/spaces/{spaceId}` to the syntax of @koa/router: `/v1/spaces/:spaceId`; `{pagePath*}` becomes
 * `*pagePath`.
 */
const pattern = (path: string): string => path.replaceAll(/\{(\w+)\*\}/g, '*$1').replaceAll(/\{(\w+)\}/g, ':$1')

const methodsOf = (method: Method): string[] => (method === 'GET' ? ['HEAD', 'GET'] : [method])

/** Paths that share a router. It is created on first use: all patterns together take a tenth of a start. */
interface Bucket {
  readonly paths: { path: string; methods: string[] }[]
  router: Router | null
}

/** Maps all paths to their endpoints. Throws if two endpoints share method and path. */
export class Routes<E extends Routed> {
  private readonly buckets = new Map<string, Bucket>()
  private readonly endpoints = new Map<string, Map<string, E>>()

  constructor(endpoints: readonly E[]) {
    const paths = [...groupByPath(endpoints)].map(([path, declared]) => ({ path, declared, key: specificity(path) }))
    for (const { path, declared } of paths.sort((a, b) => (a.key < b.key ? -1 : 1))) this.addPath(path, declared)
  }

  private addPath(path: string, declared: readonly E[]): void {
    const byMethod = new Map<string, E>()
    for (const endpoint of declared)
      for (const method of methodsOf(endpoint.method)) {
        if (byMethod.has(method)) throw new Error(`two endpoints are declared for ${method} ${path}`)
        byMethod.set(method, endpoint)
      }
    this.endpoints.set(path, byMethod)
    const rest = pathParameters(path).some((parameter) => parameter.rest)
    const key = rest ? MANY_SEGMENTS : bucketOf(path, count(path))
    const bucket = this.buckets.get(key) ?? { paths: [], router: null }
    bucket.paths.push({ path, methods: [...byMethod.keys()] })
    this.buckets.set(key, bucket)
  }

  private routerOf(key: string): Router | undefined {
    const bucket = this.buckets.get(key)
    return bucket && (bucket.router ??= routerFor(bucket))
  }

  /**
   * Returns the endpoint for a raw request path, or the methods that the path supports. Throws 404, and 400 for bad
   * percent-encoding.
   */
  match(method: string, rawPath: string): Match<E> {
    checkEncoding(rawPath, 'path')
    const path = rawPath.length > 1 && rawPath.endsWith('/') ? rawPath.slice(0, -1) : rawPath
    const allow = new Set<string>()
    for (const bucket of [bucketOf(path, count(path)), MANY_SEGMENTS]) {
      const router = this.routerOf(bucket)
      const matched = router?.match(path, method)
      const layer = matched?.pathAndMethod[0]
      const found = layer && this.endpoints.get(layer.name ?? '')?.get(method)
      if (found) return { found, parameters: decode(layer.captures(path)) }
      for (const other of matched?.path ?? []) for (const one of other.methods) allow.add(one)
    }
    if (allow.size === 0) throw notFound('This path')
    return { allow: [...allow, 'OPTIONS'].sort() }
  }
}

function routerFor({ paths }: Bucket): Router {
  const router = new Router({ sensitive: true, strict: true })
  for (const { path, methods } of paths) router.register(pattern(path), methods, async () => {}, { name: path })
  return router
}

function groupByPath<E extends Routed>(endpoints: readonly E[]): Map<string, E[]> {
  const groups = new Map<string, E[]>()
  for (const endpoint of endpoints) groups.set(endpoint.path, [...(groups.get(endpoint.path) ?? []), endpoint])
  return groups
}

const decode = (captures: readonly string[]): string[] =>
  captures.map((capture) => (capture.includes('%') ? decodeURIComponent(capture) : capture))

/** Creates the 405 error with `Allow`. */
export const methodNotAllowed = (method: string, allow: readonly string[]): ServiceError =>
  new ServiceError('method-not-allowed', `This path does not accept ${method}. Use ${allow.join(' or ')}.`, {
    headers: { Allow: allow.join(', ') },
  })

/** Throws 400 if a parameter is longer than any ID. */
export function checkLength(name: string, value: string, rest: boolean, maxLength = rest ? REST : PARAMETER): void {
  if (value.length > maxLength)
    throw badRequest(`The path parameter ${name} is too long.`, [
      { path: `path/${name}`, message: `must have at most ${maxLength} characters` },
    ])
}
