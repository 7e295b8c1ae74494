/** Downloads one object by the address that the server named, and keeps it if its bytes are those that its hash says. */
import { type HttpResponse, OutboundError } from '../outbound/index.js'
import { type DownloadAction, type LfsObject, type LfsServer, retryAfter } from './batch.js'
import { LfsError } from './errors.js'
import type { LfsFiles } from './files.js'

const MAX_REDIRECTS = 3
const MIN_MS = 60_000
const MAX_MS = 30 * 60_000
/** A slower server is given up: bytes in a millisecond. */
const SLOWEST = 64
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Downloads an object into the files. What opens the server goes to its own origin alone, and only if the action brings no authorization of its own;
 * headers of the action are not sent to another origin that it redirects to. Throws `LfsError`.
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
      throw new LfsError('refused', `Its download is redirected more than ${MAX_REDIRECTS} times.`)
    if (!URL.canParse(location, url))
      throw new LfsError('refused', 'Its download is redirected to something that is not a URL.')
    const next = new URL(location, url)
    if (endpoint.origin.startsWith('https:') && next.protocol !== 'https:')
      throw new LfsError('refused', 'Its download is redirected to an address that is not https.')
    if (next.origin !== originOf(url)) headers = {}
    url = next.href
  }
}

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null)

function refusalOf(response: HttpResponse, { now }: LfsServer): LfsError {
  const { status } = response
  const said = `Its download failed with status ${status}`
  // Signed addresses that have expired are refused in one of these ways.
  if (status === 401 || status === 403 || status === 410 || status === 400) return new LfsError('renew', `${said}.`)
  if (status === 408 || status === 429 || status >= 500)
    return new LfsError('passing', `${said}; it is tried again later.`, retryAfter(response, now()))
  return new LfsError('refused', `${said}.`)
}

function explain({ failure, message }: OutboundError, { size }: LfsObject): LfsError {
  if (failure === 'too-large')
    return new LfsError('refused', `What the server sent has more bytes than the ${size} that the pointer says.`)
  return new LfsError(failure === 'refused' ? 'refused' : 'passing', `Its download failed: ${message}`)
}
