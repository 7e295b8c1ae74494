/** Defines endpoint declarations: types that connect path, query, body, permission and response with the handler. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TObject, TOptional, TSchema } from '@sinclair/typebox'
import type { Reply } from './reply.js'
import type { AnyResolvers, Resources } from './resolver.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The types that the endpoints of one service share. */
interface ApiTypes {
  app: unknown
  actor: object
  permission: string
  resolvers: AnyResolvers
}

/** A file of a form (multipart/form-data). */
export interface FormFile {
  /** The file name as sent, without folders; the name of the part if there is none. */
  name: string
  contentType: string
  content: Buffer
}

/** The request data that a handler can read. */
export interface RequestInfo {
  /** Also returned as `X-Request-Id` and written to the log. */
  id: string
  method: string
  /** The path as sent, percent-encoded, without the query. */
  path: string
  /** The caller's address. */
  ip: string
  /** The service's public origin, without a trailing slash: `https://docs.example.org`. */
  baseUrl: string
  headers: IncomingHttpHeaders
  /** The opaque tag of `If-Match` (no quotes), or null. */
  ifMatch: string | null
  /** Files by part name, if the endpoint accepts forms. */
  files: ReadonlyMap<string, FormFile>
  /**
   * Passes the bytes of the body to `take` as they arrive, if the endpoint has `rawBodyLimitBytes`. Resolves at the end
   * of the body.
   * Rejects with the error of `take`, and with 400, 408, 413. The handler must limit the bytes that it keeps.
   */
  receive(take: (bytes: Buffer) => void): Promise<void>
  /**
   * Whether the handler may keep this many more bytes of a raw body until the response. All such requests share a
   * limited budget.
   */
  mayHold(bytes: number): boolean
}

/** The data to renew a cached response when its branch has moved and only the commit in it has changed. */
export interface Renewal<App> {
  /** The commit of the content, from the validator. */
  commit: string
  /**
   * Names of other recorded reads that may have changed. `isSameAt` decides whether the response depends on the change.
   */
  mayChange: readonly string[]
  /** Whether the response at another commit, or at the same one, would be equal. */
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

/** Returns the kind of resource that a permission applies to: its first word. */
export const scopeOf = (permission: string): string => permission.slice(0, permission.indexOf(':'))

/** Maximum body size of an endpoint that needs no token, in bytes. */
export const PUBLIC_BODY_BYTES = 16 * 1024

/** The context of a handler. */
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

/** The members of a declaration that do not depend on its types. */
interface EndpointDeclaration {
  method: Method
  /** `/v1/spaces/{spaceId}`; `{pagePath*}` takes the rest of the path. */
  path: string
  /** One line, without a period. */
  summary: string
  description?: string
  /** The section of the reference that lists it. */
  section: string
  deprecated?: boolean
  needs: string
  /** Default 200, or 204 without `returns`. */
  status?: 200 | 201 | 202 | 204 | 302 | 303
  query?: TObject
  /** The description of the `If-Match` header, if the endpoint reads it (`request.ifMatch`). */
  ifMatch?: string
  /** The JSON body; `Type.Optional(…)` = may be omitted. */
  body?: TSchema
  /** The JSON response, or `binary(type)`; absent = 204. */
  returns?: TSchema | Binary
  /** Error statuses that only this handler returns (409, 423 …), for the documentation. */
  fails?: readonly number[]
  /** Returns 204 instead of 404 if the last resource of the path is missing or invisible. */
  deletes?: 'leaf'
  /** Maps a parameter to the resolver that loads it, if the names differ. */
  aliases?: Readonly<Record<string, string>>
  /**
   * Also accepts the body as multipart/form-data: its members as fields (JSON, or text for string members), and files
   * in `request.files`.
   * The function completes the members before they are checked.
   */
  form?: (members: Record<string, unknown>, files: ReadonlyMap<string, FormFile>) => Record<string, unknown>
  /** The body must be a form (application/x-www-form-urlencoded). Undeclared fields are ignored. */
  urlencoded?: true
  /**
   * True = the response depends only on the URL, the caller, documents, refs and times. It is cached while the reads that
   * the request's app has recorded are unchanged. For reads without a validator.
   */
  repeatable?: true
  /** False = not recorded in the audit log, because it is called often and its changes are not of interest. */
  audited?: false
  /** Maximum body size, in bytes. Default: the general limit, or `PUBLIC_BODY_BYTES` if no token is needed. */
  bodyLimitBytes?: number
  /**
   * Maximum size of a body with any content, in bytes. The handler receives it itself (`request.receive`); it is not
   * parsed.
   */
  rawBodyLimitBytes?: number
}

/** A declared endpoint with its types erased, as the pipeline runs it. */
export interface Endpoint extends EndpointDeclaration {
  // biome-ignore lint/suspicious/noExplicitAny: the types of the context were checked where the endpoint was declared
  handle: (context: any) => unknown
  // biome-ignore lint/suspicious/noExplicitAny: see above
  validator?: (context: any) => readonly string[] | null | Promise<readonly string[] | null>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  renewal?: (context: any, body: Buffer) => Promise<Renewal<any> | null>
}

/** Endpoints by operationId, which is the name of the export. */
export type Endpoints = Readonly<Record<string, Endpoint>>

/**
 * Returns the function that declares endpoints of a service. Its context is typed by the path, the schemas and `needs`:
 * `export const endpoint = endpointsOf<{app: App; actor: Actor; permission: Permission; resolvers: typeof
 * resolvers}>()`.
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
    declared: Omit<EndpointDeclaration, 'path' | 'needs' | 'query' | 'body' | 'returns' | 'aliases'> & {
      path: Path
      needs: N
      query?: Q
      body?: B
      returns?: R
      aliases?: Aliases
      /**
       * Returns all inputs of the response besides the URL and the service version, before it is built
       * (oids, versions, the caller's permissions), or null. Equal inputs mean equal bytes: 304, or a cached response.
       */
      validator?: (
        context: Context<T, Path, N, Q, B, Aliases>,
      ) => readonly string[] | null | Promise<readonly string[] | null>
      /** Returns the data to renew a response with this body; null = it cannot be renewed. */
      renewal?: (context: Context<T, Path, N, Q, B, Aliases>, body: Buffer) => Promise<Renewal<T['app']> | null>
      handle: (context: Context<T, Path, N, Q, B, Aliases>) => HandlerResult<R> | Promise<HandlerResult<R>>
    },
  ): Endpoint => declared as unknown as Endpoint
}

/** Returns the names of a path's parameters, in order; `rest` = takes the rest of the path. */
export function pathParameters(path: string): { name: string; rest: boolean }[] {
  return [...path.matchAll(/\{(\w+)(\*?)\}/g)].map((match) => ({ name: match[1] ?? '', rest: match[2] === '*' }))
}
