/**
 * Sessions of browsers. The cookie contains the secret of a token. A request with the cookie becomes a request with
 * that token, so all later code handles only tokens.
 */
import type { IncomingMessage } from 'node:http'

const NAME = 'bindery_session'
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
/** The authorization scheme of a request whose cookie was rejected. No token has it. */
export const REFUSED = 'Refused-Session'

/** On https, the prefix keeps other hosts of the domain from setting the cookie. */
const nameFor = (publicUrl: string): string => (publicUrl.startsWith('https:') ? `__Host-${NAME}` : NAME)

const attributes = (publicUrl: string): string =>
  `Path=/; HttpOnly; SameSite=Lax${publicUrl.startsWith('https:') ? '; Secure' : ''}`

/** Returns the `Set-Cookie` header of a new session. */
export const sessionCookie = (publicUrl: string, secret: string, expires: Date): string =>
  `${nameFor(publicUrl)}=${secret}; Expires=${expires.toUTCString()}; ${attributes(publicUrl)}`

/** Returns the `Set-Cookie` header that removes the cookie. */
export const endedSessionCookie = (publicUrl: string): string =>
  `${nameFor(publicUrl)}=; Max-Age=0; ${attributes(publicUrl)}`

/** Whether a request has the cookie of a session, which may have ended. */
export const hasSession = ({ cookie }: IncomingMessage['headers']): boolean =>
  cookie !== undefined && [NAME, `__Host-${NAME}`].some((name) => secretIn(cookie, name) !== null)

/**
 * Replaces the cookie of a request to the API with the `Authorization` header of its token. A request that another
 * page may have caused gets no token: a request from another origin (browsers send the cookie to all ports of the
 * host), and a write without the same origin and the header that forms cannot send.
 */
export function acceptSession({ method = 'GET', url = '', headers }: IncomingMessage, publicUrl: string): void {
  if (headers.cookie === undefined || headers.authorization !== undefined || !url.startsWith('/v1/')) return
  const secret = secretIn(headers.cookie, nameFor(publicUrl))
  if (secret === null) return
  headers.authorization = isOwn(method, headers, publicUrl) ? `Bearer ${secret}` : REFUSED
}

/** Whether a request comes from a page of another origin. Requests of other programs name no origin. */
export const isForeign = ({ origin, host }: IncomingMessage['headers'], publicUrl: string): boolean =>
  origin !== undefined && origin !== new URL(publicUrl).origin && hostOf(origin) !== host

function isOwn(method: string, headers: IncomingMessage['headers'], publicUrl: string): boolean {
  const { origin } = headers
  const isSame = origin !== undefined && !isForeign(headers, publicUrl)
  if (!SAFE.has(method)) return isSame && headers['x-requested-by'] !== undefined
  if (origin !== undefined && !isSame) return false
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none' || headers['sec-fetch-mode'] === 'navigate'
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}

function secretIn(header: string, name: string): string | null {
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) {
      const value = part.slice(at + 1).trim()
      return /^[\w-]{20,500}$/.test(value) ? value : null
    }
  }
  return null
}
