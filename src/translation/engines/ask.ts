/** Sends requests to an engine over HTTP, and converts failures to `EngineError`. */
import { type HttpClient, type HttpResponse, OutboundError } from '../../outbound/index.js'
import { EngineError } from '../types.js'

/** Maximum size of a response, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024
const BUSY: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 529])

/** The HTTP client and timeout for engines. */
export interface EngineAccess {
  http: HttpClient
  /** The timeout of one request, in milliseconds. */
  timeoutMs: number
}

interface EngineRequest {
  /** The name of the engine, for messages. */
  engine: string
  url: string
  headers?: Record<string, string>
  /** The JSON body. Without it, the request is a GET. */
  body?: unknown
  /** Messages for statuses for which the common message is not suitable. */
  reasons?: Readonly<Record<number, string>>
  signal?: AbortSignal | undefined
}

/** Returns the response as JSON. Throws `EngineError`. */
export async function askJson({ http, timeoutMs }: EngineAccess, request: EngineRequest): Promise<unknown> {
  const { engine } = request
  const response = await send(http, timeoutMs, request)
  if (response.status !== 200 && response.status !== 201 && response.status !== 204) throw failureOf(request, response)
  if (response.body.length === 0) return null
  try {
    return JSON.parse(response.body.toString())
  } catch {
    throw new EngineError('bad-answer', `${engine} returned a response that is not JSON.`)
  }
}

async function send(
  http: HttpClient,
  timeoutMs: number,
  { engine, url, headers = {}, body, signal }: EngineRequest,
): Promise<HttpResponse> {
  try {
    return await http.send({
      url,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs,
      maxBytes: MAX_BYTES,
      redirects: 0,
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.failure === 'too-large' || error.failure === 'bad-response')
      throw new EngineError('bad-answer', `${engine}: ${error.message}`)
    throw new EngineError(error.failure === 'refused' ? 'refused' : 'unreachable', `${engine}: ${error.message}`)
  }
}

function failureOf({ engine, reasons = {} }: EngineRequest, { status, headers }: HttpResponse): EngineError {
  const own = reasons[status]
  if (own !== undefined) return new EngineError('refused', `${engine} ${own}`)
  if (BUSY.has(status))
    return new EngineError(
      'busy',
      `${engine} returned status ${status}: it is overloaded or unavailable.`,
      waitOf(headers),
    )
  if (status === 401 || status === 403)
    return new EngineError(
      'refused',
      `${engine} rejects the API key of the server (status ${status}). An administrator of the server can change it.`,
    )
  if (status === 413)
    return new EngineError('bad-answer', `${engine} reports that a request was too large (status 413).`)
  return new EngineError('refused', `${engine} returned status ${status}.`)
}

/** Returns the wait in `Retry-After`, in milliseconds. */
function waitOf(headers: Readonly<Record<string, string>>): number | null {
  const value = headers['retry-after']
  if (value === undefined) return null
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}

/** Returns a list of strings in a response. Throws `EngineError` for other values. */
export function textsOf(value: unknown, engine: string): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw new EngineError('bad-answer', `${engine} did not return a list of texts.`)
}
