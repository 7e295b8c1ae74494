/** Asks an LFS server where objects are: the batch API of the Git LFS specification, operation `download`, transfer `basic`, sha256. */
import { type HttpClient, type HttpResponse, OutboundError } from '../outbound/index.js'
import type { LfsEndpoint } from './endpoint.js'
import { LfsError, quoted } from './errors.js'
import { expiryOf, isRecord, readHeaders } from './action.js'

/** Objects of one request. */
export const MAX_BATCH = 100
const BATCH_MS = 60_000
const MAX_ANSWER_BYTES = 2 * 1024 * 1024
const MEDIA_TYPE = 'application/vnd.git-lfs+json'

export interface LfsCredential {
  username: string
  password: string
}

/** A server, and what opens it. */
export interface LfsServer {
  http: HttpClient
  endpoint: LfsEndpoint
  /** Headers that open the server; they are sent to the endpoint's origin alone. */
  access: Readonly<Record<string, string>>
  signal: AbortSignal
  now: () => Date
}

export interface LfsObject {
  oid: string
  /** Bytes. */
  size: number
}

/** Where an object can be downloaded from. */
export interface DownloadAction {
  href: string
  headers: Readonly<Record<string, string>>
  /** Milliseconds since 1970; null if the server does not say. */
  expiresAt: number | null
}

/** What the server says of each object that was asked for: where it is, or why it is not to be had. */
export type BatchAnswer = ReadonlyMap<string, DownloadAction | LfsError>

/** The headers for a credential; none if there is none. */
export const accessBy = (credential: LfsCredential | null): Record<string, string> =>
  credential === null
    ? {}
    : { authorization: `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}` }

/** What must not appear in a message: headers, what follows the scheme in them, and the password in that. */
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

/** Asks for objects, 100 at most. Throws `LfsError` if the server answers for none of them. */
export async function askBatch(server: LfsServer, objects: readonly LfsObject[], ref: string): Promise<BatchAnswer> {
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

/** How long a server wants to be left alone: `Retry-After` in seconds or as a date, an hour at most. */
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
    const passing = `The LFS server returned status ${status}${status === 429 ? ': there were too many requests' : ''}; it is asked again later.${words}`
    if (!limit) return new LfsError('passing', passing, retryAfter(response, now()))
    return new LfsError(
      'refused',
      `The LFS server returned status ${status}${status === 509 ? ': its limit of bandwidth is used up' : ''}.${words}`,
    )
  }
  if (status === 401) {
    const what =
      Object.keys(access).length > 0
        ? 'the credential is not accepted for Git LFS'
        : 'it needs a credential. That of a request is kept in memory alone: import again, or make a connection'
    return new LfsError('refused', `The LFS server returned status 401: ${what}.${words}`)
  }
  if (status === 403)
    return new LfsError(
      'refused',
      `The LFS server returned status 403: the credential may not read files of Git LFS.${words}`,
    )
  if (status === 404)
    return new LfsError(
      'refused',
      `The LFS server returned status 404: the repository has no Git LFS there, or the credential may not see it.${words}`,
    )
  if (status >= 300 && status < 400)
    return new LfsError(
      'refused',
      `The LFS server returned status ${status}, a redirect, which is not followed. Use the present address of the repository.`,
    )
  return new LfsError('refused', `The LFS server returned status ${status}.${words}`)
}

function readAnswer(server: LfsServer, answer: Record<string, unknown>, objects: readonly LfsObject[]): BatchAnswer {
  const { transfer, hash_algo: hash, objects: listed } = answer
  if (!Array.isArray(listed))
    throw new LfsError('refused', 'The LFS server did not answer with a list of objects: is Git LFS there?')
  if (transfer !== undefined && transfer !== 'basic')
    throw new LfsError('refused', 'The LFS server did not accept the transfer "basic", the only one that is supported.')
  if (hash !== undefined && hash !== 'sha256')
    throw new LfsError('refused', 'The LFS server did not accept the hash sha256, the only one that is supported.')
  const found = new Map<string, DownloadAction | LfsError>()
  const asked = new Set(objects.map(({ oid }) => oid))
  for (const one of listed.slice(0, 2 * MAX_BATCH))
    if (isRecord(one) && typeof one.oid === 'string' && asked.has(one.oid) && !found.has(one.oid))
      found.set(one.oid, readObject(server, one))
  for (const oid of asked)
    if (!found.has(oid)) found.set(oid, new LfsError('refused', 'The response of the LFS server does not mention it.'))
  return found
}

const CODES: Readonly<Record<number, string>> = {
  404: 'The LFS server does not have it',
  409: 'The LFS server uses a hash other than sha256 for it',
  410: 'It was removed from the LFS server',
  422: 'The LFS server does not accept its hash or size',
}

function readObject(server: LfsServer, { error, actions }: Record<string, unknown>): DownloadAction | LfsError {
  const { endpoint, now } = server
  if (isRecord(error)) {
    const code = Number(error.code)
    const passing = code === 429 || (code >= 500 && code !== 507)
    const what = CODES[code] ?? 'The LFS server refuses it'
    return new LfsError(
      passing ? 'passing' : 'refused',
      `${what}${Number.isInteger(code) ? ` (${code})` : ''}.${quoted(error.message, secretsOf(server))}`,
    )
  }
  const download = isRecord(actions) ? actions.download : undefined
  if (!isRecord(download) || typeof download.href !== 'string')
    return new LfsError('refused', 'The LFS server does not say where it can be downloaded.')
  if (endpoint.origin.startsWith('https:') && !/^https:\/\//i.test(download.href))
    return new LfsError('refused', 'The LFS server names an address for the download that is not https.')
  const headers = readHeaders(download.header)
  if (headers === null)
    return new LfsError('refused', 'The LFS server names headers for the download that cannot be sent.')
  return { href: download.href, headers, expiresAt: expiryOf(download, now()) }
}
