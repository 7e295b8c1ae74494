/** Downloads one object from the address that the server returned, and stores it if its bytes match its hash. */
import { type HttpResponse, OutboundError } from '../outbound/index.js'
import { type DownloadAction, type LfsObject, type LfsServer, retryAfter } from './batch.js'
import { LfsError } from './errors.js'
import type { LfsFiles } from './files.js'

const MAX_REDIRECTS = 3
const MIN_MS = 60_000
const MAX_MS = 30 * 60_000
/** Minimum speed in bytes per millisecond. Downloads from a slower server are aborted. */
const SLOWEST = 64
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Downloads an object into the files. The access headers are sent only to the server's own origin, and only if the
 * action has no authorization. Headers of the action are not sent to another origin after a redirect. Throws
 * `LfsError`.
 */
export async function downloadObject(
  server: LfsServer,
  files: LfsFiles,
  object: LfsObject,
  action: DownloadAction,
): Promise<void> {
  const draft = await files.draft(object)
  try {
    const response = await follow(server, action, object, (chunk) => draft.write(chunk))
    if (response.status < 200 || response.status > 299) throw refusalOf(response, server)
    const wrong = await draft.commit()
    if (wrong !== null) throw new LfsError('refused', wrong)
  } catch (error) {
    throw error instanceof OutboundError ? explain(error, object) : error
  } finally {
    await draft.discard()
  }
}

async function follow(
  server: LfsServer,
  action: DownloadAction,
  { size }: LfsObject,
  into: (chunk: Uint8Array) => Promise<void>,
): Promise<HttpResponse> {
  const { http, signal, endpoint, access } = server
  const until = Date.now() + Math.min(MAX_MS, MIN_MS + size / SLOWEST)
  let url = action.href
  let headers = action.headers
  for (let hops = 0; ; hops++) {
    const own = originOf(url) === endpoint.origin && headers.authorization === undefined && hops === 0
    const sent = own ? { ...headers, ...access } : headers
    const request = {
      url,
      headers: sent,
      timeoutMs: Math.ceil(Math.max(1, until - Date.now())),
      maxBytes: size,
      longer: 'cut' as const,
      redirects: 0,
      signal,
      into,
    }
    const response = await http.send(request)
    const { location } = response.headers
    if (!REDIRECTS.has(response.status) || location === undefined) return response
    if (hops >= MAX_REDIRECTS)
      throw new LfsError('refused', `The download is redirected more than ${MAX_REDIRECTS} times.`)
    if (!URL.canParse(location, url)) throw new LfsError('refused', 'The download is redirected to an invalid URL.')
    const next = new URL(location, url)
    if (endpoint.origin.startsWith('https:') && next.protocol !== 'https:')
      throw new LfsError('refused', 'The download is redirected to an address that is not https.')
    if (next.origin !== originOf(url)) headers = {}
    url = next.href
  }
}

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null)

function refusalOf(response: HttpResponse, { now }: LfsServer): LfsError {
  const { status } = response
  const said = `The download failed with status ${status}`
  // Servers reject expired signed addresses with one of these codes.
  if (status === 401 || status === 403 || status === 410 || status === 400) return new LfsError('renew', `${said}.`)
  if (status === 408 || status === 429 || status >= 500)
    return new LfsError('passing', `${said}. It is repeated later.`, retryAfter(response, now()))
  return new LfsError('refused', `${said}.`)
}

function explain({ failure, message }: OutboundError, { size }: LfsObject): LfsError {
  if (failure === 'too-large')
    return new LfsError('refused', `The server sent more than the ${size} bytes that the pointer states.`)
  return new LfsError(failure === 'refused' ? 'refused' : 'passing', `The download failed: ${message}`)
}
