/** Checks what clients say about a connection: its address, the provider that is told from it, and its credential. */
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

/** The remote of a connection, the key of its repository, and the credential that its URL contained. Throws 400. */
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

/** Identifies the server of a URL: its protocol, host and port. `git@host:path` and `ssh://git@host/path` have the same one. */
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

/** The provider that a public host belongs to; `generic` for others. */
export const providerOf = (url: string): ConnectionProvider => PUBLIC_HOSTS[parseRemoteUrl(url).host] ?? 'generic'

/** Throws 400 if the credential does not fit the protocol of the URL. */
export function checkFits(url: string, { kind }: { kind: ConnectionCredentialInput['kind'] }): void {
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

/** Throws 400 for an address of an API that the service never sends requests to. A host that does not resolve (yet) is accepted. */
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

/** The credential of the body or of the URL. Throws 400 if both have one, or it does not fit the URL. */
export function credentialIn(
  input: ConnectionCredentialInput | undefined,
  inUrl: ConnectionCredentialInput | null,
  url: string,
): ConnectionCredentialInput | null {
  if (input && inUrl)
    throw badRequest('There are two credentials: leave the one in the URL out.', [
      { path: '/url', message: 'must not contain a credential' },
    ])
  const given = input ?? inUrl
  if (given) checkFits(url, given)
  return given
}

/** Throws 409 if another connection of the space has this remote. */
export function checkNew(others: readonly ConnectionDoc[], key: string): void {
  const same = others.find((one) => one.key === key)
  if (same) throw conflict(`The space has a connection to this repository, branch and folder already: ${same.id}.`)
}
