/** Parses the response from the host of an ssh remote about its LFS server. */
import { expiryOf, readHeaders } from './action.js'
import type { LfsEndpoint } from './endpoint.js'
import { LfsError } from './errors.js'
import { isRecord } from '../kernel/guards.js'

/** The LFS server of an ssh remote, and the headers for access. */
export interface LfsAccess {
  endpoint: LfsEndpoint
  headers: Readonly<Record<string, string>>
  /** Milliseconds since 1970; null if the host does not state it. */
  expiresAt: number | null
}

/**
 * Parses the output of `git-lfs-authenticate` (Git LFS, "Server Discovery"). Throws `LfsError` (refused).
 * @param insecure whether http is allowed for the server, as for remotes
 */
export function readAccess(text: string, { now, insecure }: { now: Date; insecure: boolean }): LfsAccess {
  const said = parsed(text)
  const headers = readHeaders(said?.header)
  if (!said || headers === null || typeof said.href !== 'string')
    throw new LfsError(
      'refused',
      'The ssh host did not return the address and headers of its LFS server (git-lfs-authenticate).',
    )
  const url = URL.canParse(said.href) ? new URL(said.href) : null
  if (!url || (url.protocol !== 'https:' && !(insecure && url.protocol === 'http:')))
    throw new LfsError(
      'refused',
      'The ssh host returned an LFS server address that is not an https URL (git-lfs-authenticate).',
    )
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new LfsError(
      'refused',
      'The ssh host returned an LFS server address with a credential or a query (git-lfs-authenticate).',
    )
  return {
    endpoint: { url: url.href.replace(/\/+$/, ''), origin: url.origin },
    headers,
    expiresAt: expiryOf(said, now),
  }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
