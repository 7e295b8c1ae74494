/**
 * Requests the locations of objects from an LFS server: the batch API of the Git LFS specification, operation
 * `download`, transfer `basic`, sha256.
 */
import { type HttpClient, type HttpResponse, OutboundError } from '../outbound/index.js'
import type { LfsEndpoint } from './endpoint.js'
import { LfsError, quoted } from './errors.js'
import { expiryOf, readHeaders } from './action.js'
import { isRecord } from '../kernel/guards.js'

/** Maximum number of objects per request. */
export const MAX_BATCH = 100
const BATCH_MS = 60_000
const MAX_ANSWER_BYTES = 2 * 1024 * 1024
const MEDIA_TYPE = 'application/vnd.git-lfs+json'

export interface LfsCredential {
  username: string
  password: string
}

/** A server and the access to it. */
export interface LfsServer {
  http: HttpClient
  endpoint: LfsEndpoint
  /** Headers for access to the server. They are sent only to the endpoint's origin. */
  access: Readonly<Record<string, string>>
  signal: AbortSignal
  now: () => Date
}

export interface LfsObject {
  oid: string
  /** Size in bytes. */
  size: number
}

/** The address from which an object can be downloaded. */
export interface DownloadAction {
  href: string
  headers: Readonly<Record<string, string>>
  /** Milliseconds since 1970; null if the server does not state it. */
  expiresAt: number | null
}

/** The result for each requested object: its address, or the error. */
export type BatchResponse = ReadonlyMap<string, DownloadAction | LfsError>

/** Returns the headers for a credential; none without a credential. */
export const accessBy = (credential: LfsCredential | null): Record<string, string> =>
  credential === null
    ? {}
    : { authorization: `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}` }

/** Returns the texts that must not appear in a message: headers, the part after the scheme, and the password in it. */
const secretsOf = ({ access }: LfsServer): string[] =>
  Object.values(access).flatMap((value) => {
    const secret = value.replace(/^[A-Za-z]+ +/, '')
    const password = /^Basic /i.test(value)
      ? Buffer.from(secret, 'base64')
          .toString('utf8')
          .replace(/^[^:]*:/, '')
      : ''
    return [value, secret, password].filter((text) => text.length >= 4)
  })

/** Requests the addresses of at most 100 objects. Throws `LfsError` if the whole request fails. */
export async function requestBatch(
  server: LfsServer,
  objects: readonly LfsObject[],
  ref: string,
): Promise<BatchResponse> {
  const { http, endpoint, access, signal } = server
  const body = {
    operation: 'download',
    transfers: ['basic'],
    ref: { name: ref },
    objects: objects.map(({ oid, size }) => ({ oid, size })),
    hash_algo: 'sha256',
  }
  let response: HttpResponse
  try {
    response = await http.send({
      url: `${endpoint.url}/objects/batch`,
      method: 'POST',
      headers: { accept: MEDIA_TYPE, 'content-type': MEDIA_TYPE, ...access },
      body: JSON.stringify(body),
      timeoutMs: BATCH_MS,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
    })
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new LfsError(
      error.failure === 'refused' || error.failure === 'too-large' ? 'refused' : 'passing',
      `The LFS server: ${error.message}`,
    )
  }
  const answer = parsed(response.body)
  if (response.status !== 200) throw refusalOf(response, server, quoted(answer.message, secretsOf(server)))
  return readAnswer(server, answer, objects)
}

function parsed(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** Returns the requested pause before the next request: `Retry-After` in seconds or as a date, at most one hour. */
export function retryAfter({ headers }: Pick<HttpResponse, 'headers'>, now: Date): number | null {
  const text = headers['retry-after']
  if (text === undefined) return null
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime()
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, 3_600_000) : null
}

function refusalOf(response: HttpResponse, { access, now }: LfsServer, words: string): LfsError {
  const { status } = response
  if (status === 429 || status >= 500 || status === 408) {
    const limit = status === 507 || status === 509 || status === 501
    const passing = `The LFS server returned status ${status}${status === 429 ? ': there were too many requests' : ''}. The request is repeated later.${words}`
    if (!limit) return new LfsError('passing', passing, retryAfter(response, now()))
    return new LfsError(
      'refused',
      `The LFS server returned status ${status}${status === 509 ? ': its bandwidth limit is used up' : ''}.${words}`,
    )
  }
  if (status === 401) {
    const what =
      Object.keys(access).length > 0
        ? 'the credential is not accepted for Git LFS'
        : 'a credential is required. The credential of a request is kept only in memory: import again, or create a connection'
    return new LfsError('refused', `The LFS server returned status 401: ${what}.${words}`)
  }
  if (status === 403)
    return new LfsError(
      'refused',
      `The LFS server returned status 403: the credential has no access to Git LFS files.${words}`,
    )
  if (status === 404)
    return new LfsError(
      'refused',
      `The LFS server returned status 404: the repository does not use Git LFS there, or the credential has no access to it.${words}`,
    )
  if (status >= 300 && status < 400)
    return new LfsError(
      'refused',
      `The LFS server returned status ${status}, a redirect, which is not followed. Use the current address of the repository.`,
    )
  return new LfsError('refused', `The LFS server returned status ${status}.${words}`)
}

function readAnswer(server: LfsServer, answer: Record<string, unknown>, objects: readonly LfsObject[]): BatchResponse {
  const { transfer, hash_algo: hash, objects: listed } = answer
  if (!Array.isArray(listed))
    throw new LfsError(
      'refused',
      'The LFS server did not return a list of objects. Check that Git LFS is available at this address.',
    )
  if (transfer !== undefined && transfer !== 'basic')
    throw new LfsError('refused', 'The LFS server did not accept the transfer "basic", the only supported one.')
  if (hash !== undefined && hash !== 'sha256')
    throw new LfsError('refused', 'The LFS server did not accept the hash sha256, the only supported one.')
  const found = new Map<string, DownloadAction | LfsError>()
  const asked = new Set(objects.map(({ oid }) => oid))
  for (const one of listed.slice(0, 2 * MAX_BATCH))
    if (isRecord(one) && typeof one.oid === 'string' && asked.has(one.oid) && !found.has(one.oid))
      found.set(one.oid, readObject(server, one))
  for (const oid of asked)
    if (!found.has(oid))
      found.set(oid, new LfsError('refused', 'The response of the LFS server does not contain the file.'))
  return found
}

const CODES: Readonly<Record<number, string>> = {
  404: 'The LFS server does not have the file',
  409: 'The LFS server does not use sha256 for the file',
  410: 'The file was removed from the LFS server',
  422: 'The LFS server does not accept the hash or size of the file',
}

function readObject(server: LfsServer, { error, actions }: Record<string, unknown>): DownloadAction | LfsError {
  const { endpoint, now } = server
  if (isRecord(error)) {
    const code = Number(error.code)
    const passing = code === 429 || (code >= 500 && code !== 507)
    const what = CODES[code] ?? 'The LFS server rejects the request for the file'
    return new LfsError(
      passing ? 'passing' : 'refused',
      `${what}${Number.isInteger(code) ? ` (${code})` : ''}.${quoted(error.message, secretsOf(server))}`,
    )
  }
  const download = isRecord(actions) ? actions.download : undefined
  if (!isRecord(download) || typeof download.href !== 'string')
    return new LfsError('refused', 'The LFS server did not return a download address.')
  if (endpoint.origin.startsWith('https:') && !/^https:\/\//i.test(download.href))
    return new LfsError('refused', 'The LFS server returned a download address that is not https.')
  const headers = readHeaders(download.header)
  if (headers === null) return new LfsError('refused', 'The LFS server returned download headers that cannot be sent.')
  return { href: download.href, headers, expiresAt: expiryOf(download, now()) }
}
