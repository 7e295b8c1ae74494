/** Derives the host's name for a repository, and the root of the host's REST API, from the URL of the repository. */
import { own } from '../kernel/defined.js'
import { HostError, type Provider } from './types.js'

/** Matches a path segment that needs no encoding in a URL and is neither `.` nor `..`. */
const SEGMENT = /^(?!\.{1,2}$)[\w.~+-]{1,255}$/
const SCP = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]+):(?!\/\/)(.+)$/
const MAX_SEGMENTS = 20
/** Host names that serve ssh on the https port, with their canonical names. */
const HOSTS: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
}

interface HostPath {
  /** The origin. `http://` URLs keep their protocol and port; for other URLs, only the host is known. */
  origin: string
  host: string
  segments: string[]
}

function parseHostPath(url: string): HostPath {
  const scp = SCP.exec(url)
  const parsed = scp ? new URL(`ssh://${scp[1]}/${scp[2]}`) : URL.canParse(url) ? new URL(url) : null
  const segments = parsed?.pathname
    .replace(/\.git\/?$/, '')
    .split('/')
    .filter((one) => one !== '')
  const isValid =
    segments !== undefined &&
    segments.length >= 2 &&
    segments.length <= MAX_SEGMENTS &&
    segments.every((one) => SEGMENT.test(one))
  if (!parsed || !isValid)
    throw new HostError('refused', 'The URL does not point to a repository on the host. It must end in owner and name.')
  const web = parsed.protocol === 'http:' || parsed.protocol === 'https:'
  const host = own(HOSTS, parsed.hostname) ?? parsed.hostname
  return { origin: web ? parsed.origin : `https://${host}`, host, segments }
}

/** Returns the path before owner and name, for a host that is served below a path of its server. */
const prefixOf = ({ segments }: HostPath): string =>
  segments
    .slice(0, -2)
    .map((one) => `/${one}`)
    .join('')

/**
 * Returns the usual root of a provider's REST API for a repository, without a slash at the end. A GitLab below a path
 * of its server needs an explicit `apiUrl`, because the path may be a group. Throws `HostError` (`refused`).
 */
export function apiUrlOf(provider: Provider, url: string): string {
  const place = parseHostPath(url)
  if (provider === 'github') return place.host === 'github.com' ? 'https://api.github.com' : `${place.origin}/api/v3`
  if (provider === 'gitlab') return `${place.origin}/api/v4`
  if (provider === 'gitea') return `${place.origin}${prefixOf(place)}/api/v1`
  if (provider === 'bitbucket')
    return place.host === 'bitbucket.org' ? 'https://api.bitbucket.org/2.0' : `${place.origin}/2.0`
  throw new HostError('refused', 'A generic remote has no API.')
}

/**
 * Returns the host's name for a repository: `owner/name`, with all groups on GitLab. Throws `HostError` (`refused`).
 */
export function repositoryNameOf(provider: Provider, url: string, apiUrl: string): string {
  const { segments } = parseHostPath(url)
  if (provider !== 'gitlab') return segments.slice(-2).join('/')
  const below = URL.canParse(apiUrl) ? new URL(apiUrl).pathname.replace(/\/api\/v4\/?$/, '').slice(1) : ''
  const path = segments.join('/')
  return below !== '' && path.startsWith(`${below}/`) ? path.slice(below.length + 1) : path
}
