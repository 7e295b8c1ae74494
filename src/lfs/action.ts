/** Parses the access data that LFS servers and ssh hosts return for an address: the headers and their expiry. */
import { isRecord } from '../kernel/guards.js'

const MAX_HEADERS = 30
const MAX_HEADER_LENGTH = 8192

/** Headers that belong to the connection or the client. */
const OWN = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'keep-alive',
  'proxy-authorization',
  'cookie',
])

/** Returns the headers of the member `header`, without those that the client sets; null if they cannot be sent. */
export function readHeaders(value: unknown): Record<string, string> | null {
  if (value === undefined || value === null) return {}
  if (!isRecord(value)) return null
  const entries = Object.entries(value)
  if (entries.length > MAX_HEADERS) return null
  const headers: [string, string][] = []
  for (const [name, text] of entries) {
    if (
      typeof text !== 'string' ||
      text.length > MAX_HEADER_LENGTH ||
      !/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name) ||
      /[^\t\x20-\x7e]/.test(text)
    )
      return null
    if (!OWN.has(name.toLowerCase())) headers.push([name.toLowerCase(), text])
  }
  return Object.fromEntries(headers)
}

/**
 * Returns the expiry in milliseconds since 1970; null if there is none. `expires_in` takes precedence over `expires_at`
 * (specification).
 */
export function expiryOf(action: Record<string, unknown>, now: Date): number | null {
  const at = now.getTime()
  const seconds = Number(action.expires_in)
  const until = typeof action.expires_at === 'string' ? Date.parse(action.expires_at) : Number.NaN
  return seconds > 0
    ? at + seconds * 1000
    : until > 0 && until - at < 1e11 && !action.expires_at?.toString().startsWith('0001')
      ? until
      : null
}
