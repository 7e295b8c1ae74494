/** Asks an engine by HTTP, and turns what goes wrong into an `EngineError`. */
import { type HttpClient, type HttpResponse, OutboundError } from '../../outbound/index.js'
import { EngineError } from '../types.js'

/** Largest answer, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024
const BUSY: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 529])

/** What engines by HTTP are reached with. */
export interface EngineAccess {
  http: HttpClient
  /** For one request. */
  timeoutMs: number
}

interface Question {
  /** Name of the engine, for messages. */
  engine: string
  url: string
  headers?: Record<string, string>
  /** Sent as JSON; without it the request is a GET. */
  body?: unknown
  /** Reasons for statuses that need another sentence than the common ones. */
  reasons?: Readonly<Record<number, string>>
  signal?: AbortSignal | undefined
}

/** The answer as JSON. Throws `EngineError`. */
export async function askJson({ http, timeoutMs }: EngineAccess, question: Question): Promise<unknown> {
  const { engine } = question
  const response = await send(http, timeoutMs, question)
  if (response.status !== 200 && response.status !== 201 && response.status !== 204) throw refusal(question, response)
  if (response.body.length === 0) return null
  try {
    return JSON.parse(response.body.toString())
  } catch {
    throw new EngineError('bad-answer', `${engine} returned something that is not JSON.`)
  }
}

async function send(
  http: HttpClient,
  timeoutMs: number,
  { engine, url, headers = {}, body, signal }: Question,
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

function refusal({ engine, reasons = {} }: Question, { status, headers }: HttpResponse): EngineError {
  const own = reasons[status]
  if (own !== undefined) return new EngineError('refused', `${engine} ${own}`)
  if (BUSY.has(status))
    return new EngineError(
      'busy',
      `${engine} returned status ${status}: it has too much to do, or does not work.`,
      waitOf(headers),
    )
  if (status === 401 || status === 403)
    return new EngineError(
      'refused',
      `${engine} refuses the key of the server (status ${status}). An administrator of the server can change it.`,
    )
  if (status === 413) return new EngineError('bad-answer', `${engine} says that a request was too large (status 413).`)
  return new EngineError('refused', `${engine} returned status ${status}.`)
}

/** What `Retry-After` says, in milliseconds. */
function waitOf(headers: Readonly<Record<string, string>>): number | null {
  const value = headers['retry-after']
  if (value === undefined) return null
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}

/** A list of strings in an answer. Throws `EngineError` if it is anything else. */
export function textsOf(value: unknown, engine: string): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw new EngineError('bad-answer', `${engine} did not return a list of texts.`)
}

/** A member of an answer that may be anything. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
