/** Reads what the host of an ssh remote says of its LFS server. */
import { expiryOf, isRecord, readHeaders } from './action.js'
import type { LfsEndpoint } from './endpoint.js'
import { LfsError } from './errors.js'

/** The LFS server of an ssh remote, and what opens it. */
export interface LfsAccess {
  endpoint: LfsEndpoint
  headers: Readonly<Record<string, string>>
  /** Milliseconds since 1970; null if the host does not say. */
  expiresAt: number | null
}

/**
 * Reads the output of `git-lfs-authenticate` (Git LFS, "Server Discovery"). Throws `LfsError` (refused).
 * @param insecure whether the server may be reached by http, as remotes may
 */
export function readAccess(text: string, { now, insecure }: { now: Date; insecure: boolean }): LfsAccess {
  const said = parsed(text)
  const headers = readHeaders(said?.header)
  if (!said || headers === null || typeof said.href !== 'string')
    throw new LfsError(
      'refused',
      'The ssh host did not say where its LFS server is, and what opens it (git-lfs-authenticate).',
    )
  const url = URL.canParse(said.href) ? new URL(said.href) : null
  if (!url || (url.protocol !== 'https:' && !(insecure && url.protocol === 'http:')))
    throw new LfsError(
      'refused',
      'The ssh host names an LFS server whose address is no https URL (git-lfs-authenticate).',
    )
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new LfsError(
      'refused',
      'The ssh host names an LFS server whose address has a credential or a query (git-lfs-authenticate).',
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
