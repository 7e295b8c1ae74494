/** Calls the API. The types come from its OpenAPI document, `npm run desk` writes them. */
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

/** The schemas of the API by name. */
export type Schemas = components['schemas']

/** An error of the API, or a missing response. */
export class ApiError extends Error {
  override name = 'ApiError'
  constructor(
    /** HTTP status; 0 = no response. */
    readonly status: number,
    message: string,
    /** The violations that the API names, with the path of the field. */
    readonly details: readonly { path?: string; message: string }[] = [],
    /** The ID of the request in the server log. */
    readonly requestId: string | null = null,
  ) {
    super(message)
  }
}

/** Called when a request has no valid session. */
let onSignedOut = (): void => {}
/** Sets what happens when the session has ended. */
export const whenSignedOut = (run: () => void): void => void (onSignedOut = run)

declare global {
  /** The responses that `early.ts` requested, by path and query. */
  var binderyEarly: Map<string, Promise<Response | null>> | undefined
}

/** Older responses of `early.ts` are requested again. */
const MAX_EARLY_MS = 30_000

/** Returns the response to a request that was sent before the app's code was there. Each is used once. */
async function earlyResponse({ method, url }: Request): Promise<Response | null> {
  const path = url.slice(location.origin.length)
  const found = globalThis.binderyEarly?.get(path)
  if (method !== 'GET' || !found) return null
  globalThis.binderyEarly?.delete(path)
  return performance.now() < MAX_EARLY_MS ? found : null
}

/** Forgets the responses that were requested for another user, or for none. */
export const forgetEarly = (): void => globalThis.binderyEarly?.clear()

/** Sends a request of the app. Throws `ApiError` with status 0 if there is no response. */
async function send(request: Request): Promise<Response> {
  try {
    return (await earlyResponse(request)) ?? (await fetch(request))
  } catch {
    throw new ApiError(0, '')
  }
}

/** The API, by method and path: `api.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } })`. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: send,
  headers: { 'X-Requested-By': 'desk' },
})

interface Result<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Returns the body of a response. Throws `ApiError` for an error. */
export async function body<T>(pending: Promise<Result<T>>): Promise<NonNullable<T>> {
  return (await full(pending)).data as NonNullable<T>
}

/** Returns the body of a response with its headers. Throws `ApiError` for an error. */
export async function full<T>(pending: Promise<Result<T>>): Promise<{ data: T; response: Response }> {
  const { data, error, response } = await pending
  if (response.ok) return { data: data as T, response }
  throw failure(response, error)
}

/** Turns an error of the API into an exception. Ends the session on 401. */
export function failure(response: Response, error: unknown): ApiError {
  if (response.status === 401) onSignedOut()
  const said = errorIn(error)
  return new ApiError(
    response.status,
    said?.message ?? response.statusText,
    said?.details ?? [],
    response.headers.get('X-Request-Id'),
  )
}

/** The error in the body of a response. A proxy may have sent another body. */
function errorIn(given: unknown): Schemas['Error']['error'] | undefined {
  return typeof given === 'object' && given !== null && 'error' in given && typeof given.error === 'object'
    ? (given as Schemas['Error']).error
    : undefined
}
