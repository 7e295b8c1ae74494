/** Opens repositories on their hosts. The installation tokens and waits in memory may be lost at any time. */
import { createHash } from 'node:crypto'
import type { HttpClient } from '../outbound/index.js'
import { apiUrlOf, repositoryNameOf } from './address.js'
import { Bitbucket } from './api/bitbucket.js'
import type { ClientOptions } from './api/client.js'
import { Gitea } from './api/gitea.js'
import { GITHUB_HEADERS, GitHub } from './api/github.js'
import { GitLab } from './api/gitlab.js'
import { RateLimits } from './api/rate-limits.js'
import { type Authorization, RestApi } from './api/rest-api.js'
import { type GitCredential, fixedCredential } from './git-credential.js'
import { type Installation, InstallationTokens, type SignAppToken } from './installation-tokens.js'
import { type Host, type HostAddress, type HostCredential, HostError, type Provider } from './types.js'

export interface HostsOptions {
  http: HttpClient
  signAppToken: SignAppToken
  now: () => Date
}

/** The hosts, with their cached tokens and rate limits. */
export interface Hosts {
  /**
   * Opens a repository without sending a request. Throws `HostError` (`refused`, `unauthorized`) if the repository or
   * credential does not support an API.
   */
  open(address: HostAddress): Host
  /**
   * Returns the current user name and password for Git, with their expiry if they have one; null if Git uses none, or a
   * key. An app token is valid for at least ten minutes. Throws `HostError`.
   */
  gitCredential(address: HostAddress): Promise<GitCredential | null>
}

const clients: Readonly<Record<Exclude<Provider, 'generic'>, new (options: ClientOptions) => Host>> = {
  github: GitHub,
  gitlab: GitLab,
  gitea: Gitea,
  bitbucket: Bitbucket,
}

/** Creates the clients of the hosts. */
export function openHosts({ http, signAppToken, now }: HostsOptions): Hosts {
  const limits = new RateLimits(now)
  const tokens = new InstallationTokens({ http, limits, signAppToken, now })
  return {
    open(address) {
      const { provider, credential } = address
      if (provider === 'generic')
        throw new HostError(
          'refused',
          'A generic remote has no API. To use statuses and pull requests, set the provider of the repository.',
        )
      const { base, name } = apiAddressOf(address)
      const { authorization, permissions } = authorize(tokens, provider, credential, { base, name })
      const api = new RestApi({
        http,
        limits,
        base,
        repository: name,
        authorization,
        ...(provider === 'github' ? { headers: GITHUB_HEADERS } : {}),
      })
      return new clients[provider]({ api, name, permissions })
    },
    async gitCredential(address) {
      const { provider, credential } = address
      if (credential.kind !== 'githubApp') return fixedCredential(provider, credential)
      const { base, name } = apiAddressOf(address)
      const { token, expiresAt } = await tokens.token({ apiUrl: base, repository: name, ...credential })
      return { username: 'x-access-token', password: token, expiresAt }
    },
  }
}

function apiAddressOf({ provider, url, apiUrl }: HostAddress): { base: string; name: string } {
  const base = (apiUrl ?? apiUrlOf(provider, url)).replace(/\/+$/, '')
  if (!/^https?:\/\/[^?#@\s]+$/.test(base))
    throw new HostError('refused', 'The address of the API must be an http or https URL without a query.')
  return { base, name: repositoryNameOf(provider, url, base) }
}

function authorize(
  tokens: InstallationTokens,
  provider: Provider,
  credential: HostCredential,
  { base, name }: { base: string; name: string },
) {
  if (credential.kind !== 'githubApp')
    return { authorization: tokenAuthorization(provider, credential, base), permissions: async () => null }
  const installation = { apiUrl: base, repository: name, ...credential }
  return {
    authorization: appAuthorization(tokens, installation),
    permissions: async () => (await tokens.token(installation)).permissions,
  }
}

function appAuthorization(tokens: InstallationTokens, installation: Installation): Authorization {
  let last = ''
  return {
    headers: async () => {
      last = (await tokens.token(installation)).token
      return { authorization: `Bearer ${last}` }
    },
    renew: () => tokens.forget(installation),
    secrets: () => [last],
    key: hashed(installation.apiUrl, installation.appId, installation.installationId, installation.privateKey),
  }
}

const basic = (username: string, password: string): string => Buffer.from(`${username}:${password}`).toString('base64')
const hashed = (...parts: string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/**
 * Returns the authorization for a token. Gitea's tokens have a separate scheme. GitLab does not support Basic, but
 * accepts a token wherever it comes from.
 */
function tokenAuthorization(
  provider: Provider,
  credential: Exclude<HostCredential, { kind: 'githubApp' }>,
  base: string,
): Authorization {
  const fixed = (header: Record<string, string>, secrets: string[]): Authorization => ({
    headers: async () => header,
    secrets: () => secrets,
    key: hashed(base, ...secrets),
  })
  if (credential.kind === 'none') return fixed({}, [])
  if (credential.kind === 'sshKey')
    throw new HostError(
      'unauthorized',
      'A deploy key gives access only to Git. Statuses and pull requests need a token or a GitHub App.',
    )
  if (credential.kind === 'basic' && provider !== 'gitlab') {
    const value = basic(credential.username, credential.password)
    return fixed({ authorization: `Basic ${value}` }, [credential.password, value])
  }
  const token = credential.kind === 'basic' ? credential.password : credential.token
  return fixed({ authorization: `${provider === 'gitea' ? 'token' : 'Bearer'} ${token}` }, [token])
}
