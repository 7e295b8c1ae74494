/** Determines the LFS server of a remote, from the remote and `.lfsconfig`. */
import { required } from '../kernel/defined.js'
import { LfsError } from './errors.js'

/** Maximum size of a configuration file in bytes. Larger ones are not read. */
export const MAX_CONFIG_BYTES = 16 * 1024

/** The LFS server of a remote repository. */
export interface LfsEndpoint {
  /** The URL without a trailing slash. */
  url: string
  /** Scheme, host and port of the remote. The credential is sent only there. */
  origin: string
}

const isSsh = (remote: string): boolean => /^(ssh:\/\/|[^/]+@|[^/]+:(?!\/\/))/i.test(remote)

/**
 * Whether the host must be asked for the LFS server, which is the case for an ssh remote. Throws `LfsError` (refused)
 * if `.lfsconfig` contains another address, for which there is no credential.
 */
export function isAskedOfHost(remote: string, config: string | null): boolean {
  if (/^https?:\/\//i.test(remote) || !isSsh(remote)) return false
  if (config !== null && configuredUrl(config) !== null)
    throw new LfsError(
      'refused',
      '.lfsconfig contains an address for which an ssh remote has no credential, so nothing is fetched. Connect the repository through its https address.',
    )
  return true
}

/**
 * Returns the LFS server of a remote (Git LFS, "Server Discovery"): `<remote>.git/info/lfs`, unless `.lfsconfig` of the
 * repository contains another address. That address must be on the remote's own host, since the credential is sent
 * there, and any committer can write the file. Throws `LfsError` (refused).
 * @param config the text of `.lfsconfig`; null if there is none
 */
export function endpointOf(remote: string, config: string | null): LfsEndpoint {
  if (!/^https?:\/\//i.test(remote))
    throw new LfsError(
      'refused',
      'Git LFS files are not fetched from this remote. Connect the repository through its https address.',
    )
  const { origin, protocol } = new URL(remote)
  const named = config === null ? null : configuredUrl(config)
  if (named === null) {
    const base = remote.replace(/\/+$/, '')
    return { url: `${base}${base.endsWith('.git') ? '' : '.git'}/info/lfs`, origin }
  }
  const url = URL.canParse(named) ? new URL(named) : null
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new LfsError(
      'refused',
      '.lfsconfig contains an address that is not an https URL, so nothing is fetched. Correct lfs.url, or remove it.',
    )
  if (url.origin !== origin || url.protocol !== protocol)
    throw new LfsError(
      'refused',
      `.lfsconfig names a server on ${url.host}, which is not the host of the remote, so nothing is fetched. Remove lfs.url.`,
    )
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new LfsError(
      'refused',
      '.lfsconfig contains an address with a credential or a query, so nothing is fetched. Correct lfs.url.',
    )
  return { url: url.href.replace(/\/+$/, ''), origin }
}

/**
 * Returns `lfs.url` in a Git configuration file; null if it is missing. The last one wins. Nothing else in the file has
 * an effect.
 */
function configuredUrl(text: string): string | null {
  let section = ''
  let found: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"[^"]*")?\s*\]/.exec(line)
    if (header) section = line.includes('"') ? '' : required(header[1]).toLowerCase()
    const [, name, value] = /^\s*(?:\[[^\]]*\]\s*)?([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/.exec(line) ?? []
    if (section === 'lfs' && name?.toLowerCase() === 'url')
      found = (value ?? '')
        .replace(/(?<!\s)\s+[#;].*$/, '')
        .trim()
        .replace(/^"(.*)"$/, '$1')
  }
  return found
}
