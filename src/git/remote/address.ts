import { RemoteError } from '../errors.js'

/** A remote's URL, taken apart. `url` is what Git is given and what may be stored and shown: it holds no secret. */
export interface RemoteAddress {
  url: string
  protocol: 'https' | 'http' | 'ssh' | 'file'
  /** Lower-case name or canonical IP literal (IPv6 without brackets); '' for `file`. */
  host: string
  /** The port used, also where it is the protocol's own; 0 for `file`. */
  port: number
  /** As written below the host, percent-encoding kept. */
  path: string
  /** The login of an ssh address, part of where it leads. */
  sshUser?: string
  /** Decoded, of an http(s) URL. */
  username?: string
  password?: string
}

/** The input is never quoted: what could not be taken apart may hold a password anywhere. */
export const refusedUrl = (reason: string): RemoteError => new RemoteError('refused-url', `The remote's URL is refused: ${reason}`)

/**
 * A host in the one form that every resolver reads alike: lower case, IDNA, no trailing dot, IP literals in any notation
 * (decimal, octal, hexadecimal, IPv6-mapped) made canonical. The WHATWG parser knows them all.
 */
export function canonicalHost(host: string): string {
  let parsed: URL
  try {
    parsed = new URL(`http://${host}/`)
  } catch {
    throw refusedUrl('its host is not valid.')
  }
  const name = parsed.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (parsed.username || parsed.password || parsed.port || parsed.pathname !== '/' || parsed.search || parsed.hash) throw refusedUrl('its host is not valid.')
  if (!/^[a-z0-9_:][a-z0-9._:-]*$/.test(name) || /\.\.|\.$/.test(name)) throw refusedUrl('its host is missing or not valid.')
  return name
}

export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)
