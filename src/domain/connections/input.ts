/** Validates client input for connections: address, provider and credential. */
import { badRequest, conflict } from '../../kernel/errors.js'
import { parseRemoteUrl, remoteKey } from '../../git/index.js'
import type { ConnectionCredentialInput, ConnectionDoc, ConnectionProvider } from '../../model/index.js'
import { OutboundError } from '../../outbound/index.js'
import type { App } from '../context/app.js'
import { readRemote, type SyncRemote } from '../git-sync/remote.js'

interface Address {
  url: string
  ref: string
  repoProjectDirectory: string
}

/** Returns the remote of a connection, the key of its repository, and the credential from its URL. Throws 400. */
export function readAddress(
  app: App,
  input: Address,
): { remote: SyncRemote; repository: string; given: ConnectionCredentialInput | null } {
  const { remote, credential } = readRemote(input, {
    allowedProtocols: app.settings.connectionProtocols,
    mergeRequests: false,
  })
  const repository = remoteKey(remote.url, '')
  if (credential === null) return { remote, repository, given: null }
  const { username, password } = credential
  if (password === undefined || username === undefined)
    return { remote, repository, given: { kind: 'token', token: password ?? username ?? '' } }
  return { remote, repository, given: { kind: 'basic', username, password } }
}

/** Identifies the server of a URL by protocol, host and port. `git@host:path` and `ssh://git@host/path` are equal. */
export function serverOf(url: string): string {
  const { protocol, host, port } = parseRemoteUrl(url)
  return `${protocol} ${host} ${port}`
}

const PUBLIC_HOSTS: Record<string, ConnectionProvider> = {
  'github.com': 'github',
  'ssh.github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket',
  'codeberg.org': 'gitea',
  'gitea.com': 'gitea',
}

/** Returns the provider of a public host, or `generic` for other hosts. */
export const providerOf = (url: string): ConnectionProvider => PUBLIC_HOSTS[parseRemoteUrl(url).host] ?? 'generic'

/** Throws 400 if the credential does not fit the protocol of the URL. */
export function checkCredentialFits(url: string, { kind }: { kind: ConnectionCredentialInput['kind'] }): void {
  const http = /^https?:/i.test(url)
  const ssh = !http && !/^file:/i.test(url)
  const fits = kind === 'none' || (kind === 'sshKey' ? ssh : http)
  if (fits) return
  const message =
    kind === 'sshKey'
      ? 'a deploy key needs an ssh address, such as git@host:owner/name.git'
      : 'this kind of credential needs an https address'
  throw badRequest('The credential does not fit the URL.', [{ path: '/credential/kind', message }])
}

/**
 * Throws 400 for an API address that the service never sends requests to. Hosts that do not resolve (yet) are accepted.
 */
export async function checkApiUrl(app: App, url: string | null | undefined): Promise<void> {
  if (url == null) return
  try {
    await app.http.check(url)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.failure === 'refused')
      throw badRequest(`apiUrl cannot be used: ${error.message}`, [{ path: '/apiUrl', message: error.message }])
  }
}

/** Returns the credential from the body or the URL. Throws 400 if both contain one, or if it does not fit the URL. */
export function credentialIn(
  input: ConnectionCredentialInput | undefined,
  inUrl: ConnectionCredentialInput | null,
  url: string,
): ConnectionCredentialInput | null {
  if (input && inUrl)
    throw badRequest('The URL already contains a credential. Remove it, or omit `credential`.', [
      { path: '/url', message: 'must not contain a credential' },
    ])
  const given = input ?? inUrl
  if (given) checkCredentialFits(url, given)
  return given
}

/** Throws 409 if another connection of the space has this remote. */
export function checkNew(others: readonly ConnectionDoc[], key: string): void {
  const same = others.find((one) => one.key === key)
  if (same)
    throw conflict(
      `The space already has a connection to this repository, branch and folder: ${same.id}. Change or delete that one.`,
    )
}
