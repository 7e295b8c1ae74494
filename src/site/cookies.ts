/** The cookies for readers of non-public sites. Each is limited to the path of one site. */

/** Maximum lifetime that browsers accept, in seconds. */
const MAX_SECONDS = 400 * 24 * 60 * 60
/** Browsers drop cookies of more than 4,096 bytes, so longer values are divided. */
const PIECE = 3_600
const MAX_PIECES = 3

/** The names of the cookies. */
export const COOKIES = { share: 'bindery-share', visitor: 'bindery-visitor', claims: 'bindery-claims' } as const

/** Where a cookie applies. */
export interface CookieScope {
  /** The path of the site, without a trailing slash. */
  base: string
  isSecure: boolean
}

/** Returns a cookie of the `Cookie` header; '' if it is absent. */
export function cookieIn(header: string | undefined, name: string): string {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return ''
}

/** Returns a `Set-Cookie` value. Without `seconds`, the cookie ends with the browser's session; 0 removes it. */
export function setCookie({ base, isSecure }: CookieScope, name: string, value: string, seconds?: number): string {
  const lasts = seconds === undefined ? '' : `; Max-Age=${Math.max(0, Math.min(MAX_SECONDS, Math.floor(seconds)))}`
  return `${name}=${value}; Path=${base || '/'}${lasts}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

const pieceName = (name: string, piece: number): string => (piece === 0 ? name : `${name}.${piece}`)

/** Returns the `Set-Cookie` values for a long value. Unused pieces of an earlier value are removed. */
export const setLongCookie = (scope: CookieScope, name: string, value: string, seconds: number): string[] =>
  Array.from({ length: MAX_PIECES }, (_, piece) => {
    const part = value.slice(piece * PIECE, (piece + 1) * PIECE)
    return setCookie(scope, pieceName(name, piece), part, part === '' ? 0 : seconds)
  })

/** Returns the value that `setLongCookie` set. */
export function longCookie(request: { cookie(name: string): string }, name: string): string {
  let value = ''
  for (let piece = 0; piece < MAX_PIECES; piece++) {
    const part = request.cookie(pieceName(name, piece))
    if (part === '') break
    value += part
  }
  return value
}
