// Parses the URLs of remotes, and separates the credentials from them.
import { RemoteError } from '../errors.js'

/** The parts of a remote's URL. `url` contains no secret: it is passed to Git, stored and shown. */
export interface RemoteAddress {
  url: string
  protocol: 'https' | 'http' | 'ssh' | 'file'
  /** Lowercase name or canonical IP literal (IPv6 without brackets); '' for `file`. */
  host: string
  /** The port, even if it is the default of the protocol; 0 for `file`. */
  port: number
  /** The path as written, with its percent-encoding. */
  path: string
  /** The login name of an ssh address. */
  sshUser?: string
  /** The decoded credentials of an http(s) URL. */
  username?: string
  password?: string
}

/**
 * Returns the error for a rejected URL. The message never quotes the input, because an invalid URL may contain a
 * password anywhere.
 */
export const refusedUrl = (reason: string): RemoteError =>
  new RemoteError('refused-url', `The remote's URL is not allowed: ${reason}`)

/**
 * Returns a host in the form that all resolvers interpret alike: lowercase, IDNA, no trailing dot. IP addresses in any
 * notation (decimal, octal, hexadecimal, IPv6-mapped) become canonical. The WHATWG URL parser does this.
 */
export function canonicalHost(host: string): string {
  let parsed: URL
  try {
    parsed = new URL(`http://${host}/`)
  } catch {
    throw refusedUrl('its host is not valid.')
  }
  const name = parsed.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (parsed.username || parsed.password || parsed.port || parsed.pathname !== '/' || parsed.search || parsed.hash)
    throw refusedUrl('its host is not valid.')
  if (!/^[a-z0-9_:][a-z0-9._:-]*$/.test(name) || /\.\.|\.$/.test(name))
    throw refusedUrl('its host is missing or not valid.')
  return name
}

export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)
