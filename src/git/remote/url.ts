/** Parses and checks the URL of a remote, and derives the key that identifies the remote. */
import { createHash } from 'node:crypto'
import { bracketed, canonicalHost, type RemoteAddress, refusedUrl } from './address.js'
import { NO_SSH } from './ssh.js'
import { defined } from '../../kernel/defined.js'

const SUPPORTED = ['https', 'http', 'ssh', 'file'] as const
const MAX_LENGTH = 2048
const DEFAULT_PORTS = { https: 443, http: 80, ssh: 22, file: 0 }
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
const ENCODED_CONTROL = /%(?:[01][0-9a-f]|7f)/i
const SSH_USER = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/

/** Percent-decodes as Git does: invalid escapes stay as they are. */
const decode = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    const decoded = Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8')
    return decoded.includes('\ufffd') ? run : decoded
  })

function checkPath(path: string): string {
  if (/^[/:]*$/.test(path)) throw refusedUrl('it contains a host but no repository. Use the whole clone address.')
  if (ENCODED_CONTROL.test(path)) throw refusedUrl('its path contains an encoded control character.')
  // `https://user:123/secret@host/x` is parsed as host `user`, port 123. The secret would be stored as part of the
  // path.
  if (path.includes('@'))
    throw refusedUrl('it contains an "@" in its path. Write "%40", and percent-encode a "/" in a password as "%2F".')
  return path
}

function checkPort(text: string, fallback: number): number {
  if (text === '') return fallback
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65535) throw refusedUrl('its port is not a number from 1 to 65535.')
  return port
}

function sshAddress(
  user: string | undefined,
  host: string,
  port: number,
  path: string,
  relative: boolean,
): RemoteAddress {
  if (user !== undefined && !SSH_USER.test(user))
    throw refusedUrl('an ssh address may contain a login name such as "git@", but no password.')
  const name = canonicalHost(host)
  const login = user === undefined ? '' : `${user}@`
  const url = relative
    ? `${login}${bracketed(name)}:${path}`
    : `ssh://${login}${bracketed(name)}${port === 22 ? '' : `:${port}`}${path}`
  return {
    url,
    protocol: 'ssh',
    host: name,
    port,
    path: checkPath(path),
    ...defined({ sshUser: user }),
  }
}

function httpAddress(text: string, protocol: 'https' | 'http'): RemoteAddress {
  if (!/^https?:\/\/[^/]/i.test(text)) throw refusedUrl('its host is missing.')
  let parsed: URL
  try {
    parsed = new URL(text)
  } catch {
    throw refusedUrl('its host or port is not valid. Percent-encode special characters in a user name or password.')
  }
  const username = decode(parsed.username)
  const password = decode(parsed.password)
  if (CONTROL.test(username + password)) throw refusedUrl('its user name or password contains a control character.')
  const host = canonicalHost(parsed.hostname)
  const port = checkPort(parsed.port, DEFAULT_PORTS[protocol])
  const path = checkPath(parsed.pathname)
  const shownPort = port === DEFAULT_PORTS[protocol] ? '' : `:${port}`
  return {
    url: `${protocol}://${bracketed(host)}${shownPort}${path}`,
    protocol,
    host,
    port,
    path,
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
  }
}

function schemeAddress(text: string, protocol: RemoteAddress['protocol']): RemoteAddress {
  if (protocol === 'http' || protocol === 'https') return httpAddress(text, protocol)
  const rest = text.slice(protocol.length + 3)
  if (protocol === 'file') {
    if (!rest.startsWith('/'))
      throw refusedUrl('a file URL needs three slashes and an absolute path: "file:///srv/docs.git".')
    return { url: `file://${checkPath(rest)}`, protocol, host: '', port: 0, path: rest }
  }
  const parts = /^(?:([^@/]*)@)?(\[[^\]/]*\]|[^:/@]+)(?::([^/]*))?(\/.*)$/.exec(rest)
  if (!parts) throw refusedUrl('an ssh address has the form "ssh://git@host/path".')
  return sshAddress(parts[1], parts[2] ?? '', checkPort(parts[3] ?? '', 22), parts[4] ?? '', false)
}

function takeApart(text: string): RemoteAddress {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined) {
    const protocol = SUPPORTED.find((known) => known === scheme)
    if (!protocol) throw refusedUrl('its protocol is unknown. Use "https://" or "ssh://".')
    return schemeAddress(text, protocol)
  }
  // Not followed by `//`: `host://path` is a URL with an unknown protocol.
  const scp = /^(?:([^@/]*)@)?(\[[^\]/]*\]|[^:/@[\]]+):(?!\/\/)([^:-].*)$/.exec(text)
  if (!scp) throw refusedUrl('it is not a clone address. Use "https://host/path" or "git@host:path".')
  const path = scp[3] ?? ''
  return sshAddress(scp[1], scp[2] ?? '', 22, path, true)
}

/**
 * Parses a remote's URL: `https://`, `http://`, `ssh://`, `file://` or `git@host:path`, if its protocol is one of
 * `allowedProtocols`. The `url` of the result contains no credential; user name and password are decoded. Throws
 * `RemoteError` 'refused-url', whose message never quotes the input.
 */
export function parseRemoteUrl(text: string, allowedProtocols: readonly string[] = SUPPORTED): RemoteAddress {
  if (text === '') throw refusedUrl('it is empty.')
  if (text.length > MAX_LENGTH) throw refusedUrl(`it is longer than ${MAX_LENGTH} characters.`)
  if (CONTROL.test(text)) throw refusedUrl('it contains a line break or another control character.')
  if (/[\s\\]/.test(text)) throw refusedUrl('it contains a space or a backslash. Write a space as "%20".')
  if (text.startsWith('-')) throw refusedUrl('it starts with "-".')
  if (/^[A-Za-z0-9+.-]*::/.test(text)) throw refusedUrl('remote helpers ("name::…") are not supported.')
  // Queries often contain tokens, and Git servers do not use queries.
  if (/[?#]/.test(text))
    throw refusedUrl('it contains "?" or "#". Use only the clone address, and enter a token as the password.')
  const address = takeApart(text)
  if (!allowedProtocols.includes(address.protocol)) {
    if (address.protocol === 'ssh') throw refusedUrl(NO_SSH)
    throw refusedUrl(
      `the protocol "${address.protocol}" is not allowed on this server. Allowed: ${allowedProtocols.join(', ')}.`,
    )
  }
  return address
}

/**
 * Returns the path of an ssh address as Git requests it on the host: decoded if it is a URL, and without the slash
 * before a home folder.
 */
export const pathThere = ({ url, path }: RemoteAddress): string => {
  const decoded = url.startsWith('ssh://') ? decode(path) : path
  return decoded.startsWith('/~') ? decoded.slice(1) : decoded
}

/**
 * Returns a stable key of a remote: 32 hexadecimal digits, a hash of the URL (without credentials, ssh login, trailing
 * `.git` and slashes, and default port, with the host in lowercase), the ref and the folder. `git@host:a/b` and
 * `ssh://git@host/a/b` have the same key. Throws `RemoteError` 'refused-url'.
 */
export function remoteKey(url: string, ref: string, directory = ''): string {
  const { protocol, host, port, path } = parseRemoteUrl(url)
  const repository = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')
  const folder = directory.split('/').filter((part) => part !== '' && part !== '.')
  return createHash('sha256')
    .update(JSON.stringify([protocol, host, port, repository, ref, folder.join('/')]))
    .digest('hex')
    .slice(0, 32)
}
