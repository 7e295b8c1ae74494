/** From the URL of a repository to the name by which its host knows it, and to the root of the host's REST API. */
import { HostError, type Provider } from './types.js'

/** A segment of a path that can stand in a URL as it is, and is neither `.` nor `..`. */
const SEGMENT = /^(?!\.{1,2}$)[\w.~+-]{1,255}$/
const SCP = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]+):(?!\/\/)(.+)$/
const MAX_SEGMENTS = 20
/** Where hosts answer ssh on the port of https. */
const HOSTS: Readonly<Record<string, string>> = {
  'ssh.github.com': 'github.com',
  'altssh.gitlab.com': 'gitlab.com',
  'altssh.bitbucket.org': 'bitbucket.org',
}

interface HostPath {
  /** `http://` URLs keep their protocol and port; of others only the host is known. */
  origin: string
  host: string
  segments: string[]
}

function placeOf(url: string): HostPath {
  const scp = SCP.exec(url)
  const parsed = scp ? new URL(`ssh://${scp[1]}/${scp[2]}`) : URL.canParse(url) ? new URL(url) : null
  const segments = parsed?.pathname
    .replace(/\.git\/?$/, '')
    .split('/')
    .filter((one) => one !== '')
  const fits =
    segments !== undefined &&
    segments.length >= 2 &&
    segments.length <= MAX_SEGMENTS &&
    segments.every((one) => SEGMENT.test(one))
  if (!parsed || !fits)
    throw new HostError('refused', 'The URL is not that of a repository on the host: it has to end in owner and name.')
  const web = parsed.protocol === 'http:' || parsed.protocol === 'https:'
  const host = Object.hasOwn(HOSTS, parsed.hostname) ? (HOSTS[parsed.hostname] as string) : parsed.hostname
  return { origin: web ? parsed.origin : `https://${host}`, host, segments }
}

/** What comes before owner and name in the path, where a host is served below a path of its server. */
const prefixOf = ({ segments }: HostPath): string =>
  segments
    .slice(0, -2)
    .map((one) => `/${one}`)
    .join('')

/**
 * The usual root of a provider's REST API for a repository, without a slash at the end. A GitLab below a path of its server needs its own
 * `apiUrl`, since the path may be a group. Throws `HostError` (`refused`).
 */
export function apiUrlOf(provider: Provider, url: string): string {
  const place = placeOf(url)
  if (provider === 'github') return place.host === 'github.com' ? 'https://api.github.com' : `${place.origin}/api/v3`
  if (provider === 'gitlab') return `${place.origin}/api/v4`
  if (provider === 'gitea') return `${place.origin}${prefixOf(place)}/api/v1`
  if (provider === 'bitbucket')
    return place.host === 'bitbucket.org' ? 'https://api.bitbucket.org/2.0' : `${place.origin}/2.0`
  throw new HostError('refused', 'A generic remote has no API.')
}

/** Owner and name as the host knows them: `owner/name`, with all groups on GitLab. Throws `HostError` (`refused`). */
export function repositoryNameOf(provider: Provider, url: string, apiUrl: string): string {
  const { segments } = placeOf(url)
  if (provider !== 'gitlab') return segments.slice(-2).join('/')
  const below = URL.canParse(apiUrl) ? new URL(apiUrl).pathname.replace(/\/api\/v4\/?$/, '').slice(1) : ''
  const path = segments.join('/')
  return below !== '' && path.startsWith(`${below}/`) ? path.slice(below.length + 1) : path
}
