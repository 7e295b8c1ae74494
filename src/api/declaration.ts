/** How an endpoint is declared: the types that tie its path, query, body, permission and response to its handler. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TObject, TOptional, TSchema } from '@sinclair/typebox'
import type { Reply } from './reply.js'
import type { AnyResolvers, Resources } from './resolver.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What the endpoints of one service have in common. */
interface ApiTypes {
  app: unknown
  actor: object
  permission: string
  resolvers: AnyResolvers
}

/** A file of a form (multipart/form-data). */
export interface FormFile {
  /** The file's name as sent, without folders; the part's if it has none. */
  name: string
  contentType: string
  content: Buffer
}

/** What a handler can learn about the request itself. */
export interface RequestInfo {
  /** Also returned as `X-Request-Id` and written to the log. */
  id: string
  method: string
  /** As sent, percent-encoded, without the query. */
  path: string
  /** The caller's address. */
  ip: string
  /** The service's public origin, without a slash at the end: `https://docs.example.org`. */
  baseUrl: string
  headers: IncomingHttpHeaders
  /** The opaque tag of `If-Match` (no quotes), or null. */
  ifMatch: string | null
  /** Files by the name of their part, if the endpoint takes forms. */
  files: ReadonlyMap<string, FormFile>
  /**
   * Hands the bytes of the body on as they arrive, if the endpoint takes any (`rawBodyLimitBytes`). Resolves at its end; rejects with what
   * `take` throws, and with 400, 408, 413. What is kept of them is for the handler to bound.
   */
  receive(take: (bytes: Buffer) => void): Promise<void>
  /** Whether the handler may hold so many bytes more of a raw body until the response: all such requests share a bounded memory. */
  mayHold(bytes: number): boolean
}

/** How a kept response is made anew when the branch that it was made from has moved, if it is the same but for the commit that it names. */
export interface Renewal<App> {
  /** The commit that it was made from, as the validator names it. */
  commit: string
  /** What stands in the body before the commit, wherever the response itself names it, and how many times. If it is there more often, the rest is content. */
  before: string
  times: number
  /** What else may have changed, by the name it is noted under: `isSameAt` says whether the response depends on what is new. */
  mayChange: readonly string[]
  /** Whether the response at another commit, or at the same, would be the same but for the commit. */
  isSameAt(app: App, commit: string): Promise<boolean>
}

/** A permission, `authenticated` (any valid token) or `public` (no token needed). */
type Needs<P extends string> = P | 'authenticated' | 'public'

type QueryOf<Q> = Q extends TSchema ? Static<Q> : Record<never, never>
type BodyOf<B> = B extends TOptional<TSchema> ? Static<B> | undefined : B extends TSchema ? Static<B> : undefined
type HandlerResult<R> = R extends TSchema
  ? Static<R> | Reply<Static<R>>
  : R extends Binary
    ? Reply<never>
    : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a response body may return nothing
      void | Reply<never>

/** The kind of resource that a permission is about: its first word. */
export const scopeOf = (permission: string): string => permission.slice(0, permission.indexOf(':'))

/** Largest body of an endpoint that needs no token, in bytes. */
export const PUBLIC_BODY_BYTES = 16 * 1024

/** What a handler gets. */
type Context<T extends ApiTypes, Path extends string, N, Q, B, Aliases> = {
  app: T['app']
  actor: N extends 'public' ? T['actor'] | null : T['actor']
  query: QueryOf<Q>
  body: BodyOf<B>
  request: RequestInfo
} & Resources<T['resolvers'], Path, Aliases>

/** A response that is not JSON. */
export interface Binary {
  binary: string
}

/** Declares a response of another content type; the handler returns `stream(…)`. */
export const binary = (contentType: string): Binary => ({ binary: contentType })

/** What a declaration says besides its types. */
interface EndpointFacts {
  method: Method
  /** `/v1/spaces/{spaceId}`; `{pagePath*}` takes the rest of the path. */
  path: string
  /** One line. */
  summary: string
  description?: string
  /** The part of the reference in which it is listed. */
  section: string
  deprecated?: boolean
  needs: string
  /** Default 200, or 204 without `returns`. */
  status?: 200 | 201 | 202 | 204 | 302 | 303
  query?: TObject
  /** The description of the `If-Match` header, if the endpoint reads it (`request.ifMatch`). */
  ifMatch?: string
  /** The JSON body; `Type.Optional(…)` = may be left out. */
  body?: TSchema
  /** The JSON that is returned, or `binary(type)`; absent = 204. */
  returns?: TSchema | Binary
  /** Error statuses that only the handler can give (409, 423 …), for the documentation. */
  fails?: readonly number[]
  /** If the last resource of the path is missing or invisible, 204 is returned instead of 404. */
  deletes?: 'leaf'
  /** Parameter → the resolver that loads it, if that is not the one with its own name. */
  aliases?: Readonly<Record<string, string>>
  /**
   * The body may also come as multipart/form-data: its members as fields (JSON, or text if the member is a text), and
   * files, found in `request.files`. The function completes the members before they are checked.
   */
  form?: (members: Record<string, unknown>, files: ReadonlyMap<string, FormFile>) => Record<string, unknown>
  /** The body is a form (application/x-www-form-urlencoded) and nothing else; fields that it does not declare are ignored. */
  urlencoded?: true
  /** False = not recorded in the audit log, since it is called all the time and changes nothing of interest. */
  audited?: false
  /** Largest body, in bytes. Default: the general limit, or `PUBLIC_BODY_BYTES` if no token is needed. */
  bodyLimitBytes?: number
  /** The body is any bytes, at most so many, which the handler receives itself (`request.receive`): nothing is parsed before. */
  rawBodyLimitBytes?: number
}

/** A declared endpoint with its types erased, as the pipeline runs it. */
export interface Endpoint extends EndpointFacts {
  // biome-ignore lint/suspicious/noExplicitAny: the types of the context were checked where the endpoint was declared
  handle: (context: any) => unknown
  // biome-ignore lint/suspicious/noExplicitAny: see above
  validator?: (context: any) => readonly string[] | null | Promise<readonly string[] | null>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  renewal?: (context: any, body: Buffer) => Promise<Renewal<any> | null>
}

/** Name of the export = operationId. */
export type Endpoints = Readonly<Record<string, Endpoint>>

/**
 * The function that declares endpoints of a service, its context typed by the path, the schemas and `needs`:
 * `export const endpoint = endpointsOf<{app: App; actor: Actor; permission: Permission; resolvers: typeof resolvers}>()`.
 */
export function endpointsOf<T extends ApiTypes>() {
  return <
    const Path extends string,
    const N extends Needs<T['permission']>,
    Q extends TObject | undefined = undefined,
    B extends TSchema | undefined = undefined,
    R extends TSchema | Binary | undefined = undefined,
    const Aliases extends Readonly<Record<string, keyof T['resolvers'] & string>> = Record<never, never>,
  >(
    declared: Omit<EndpointFacts, 'path' | 'needs' | 'query' | 'body' | 'returns' | 'aliases'> & {
      path: Path
      needs: N
      query?: Q
      body?: B
      returns?: R
      aliases?: Aliases
      /**
       * Returns, before the work is done, all that the response depends on besides the URL and the version of the service
       * (oids, versions, what the caller may do), or null. Equal parts mean equal bytes: 304, or a response from the cache.
       */
      validator?: (
        context: Context<T, Path, N, Q, B, Aliases>,
      ) => readonly string[] | null | Promise<readonly string[] | null>
      /** How a response with this body may be made anew; null = it may not. */
      renewal?: (context: Context<T, Path, N, Q, B, Aliases>, body: Buffer) => Promise<Renewal<T['app']> | null>
      handle: (context: Context<T, Path, N, Q, B, Aliases>) => HandlerResult<R> | Promise<HandlerResult<R>>
    },
  ): Endpoint => declared as unknown as Endpoint
}

/** The names of a path's parameters, in order; `rest` = takes the rest of the path. */
export function pathParameters(path: string): { name: string; rest: boolean }[] {
  return [...path.matchAll(/\{(\w+)(\*?)\}/g)].map((match) => ({ name: match[1] ?? '', rest: match[2] === '*' }))
}
