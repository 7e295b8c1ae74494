/**
 * Tokens of GitHub App installations: requested with the app's JWT, cached in memory, and renewed before they expire.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { HttpClient } from '../outbound/index.js'
import { RestApi } from './api/rest-api.js'
import type { RateLimits } from './api/rate-limits.js'
import { GITHUB_HEADERS } from './api/github.js'
import { HostError } from './types.js'
import { at, textAt } from './values.js'
import { isRecord } from '../kernel/guards.js'

/** Minimum remaining lifetime of a token that is used, because an import may take a while. Tokens last an hour. */
const RENEW_MS = 10 * 60_000
const MAX_TOKENS = 1000

/** Creates the JWT of an app (RS256, at most ten minutes). Throws if the key is invalid. */
export type SignAppToken = (privateKey: string, appId: string, now: Date) => Promise<string>

interface InstallationToken {
  token: string
  expiresAt: Date
  /** The permissions of the installation: `contents` → `write`. */
  permissions: Readonly<Record<string, string>>
}

/** An installation, and the repository that a token is for. */
export interface Installation {
  apiUrl: string
  /** `owner/name`. */
  repository: string
  appId: string
  installationId: string
  privateKey: string
}

interface InstallationTokensOptions {
  http: HttpClient
  limits: RateLimits
  signAppToken: SignAppToken
  now: () => Date
}

/** Caches one token per installation and repository. Concurrent callers share one request. */
export class InstallationTokens {
  readonly #cache = new LRUCache<string, InstallationToken>({ max: MAX_TOKENS })
  // Size limit: the number of pending requests
  readonly #pending = new Map<string, Promise<InstallationToken>>()

  constructor(private readonly options: InstallationTokensOptions) {}

  /** Returns a token that is valid for at least ten minutes. Throws `HostError`. */
  async token(installation: Installation): Promise<InstallationToken> {
    const key = keyOf(installation)
    const cached = this.#cache.get(key)
    if (cached && cached.expiresAt.getTime() - this.options.now().getTime() > RENEW_MS) return cached
    const pending = this.#pending.get(key)
    if (pending) return pending
    const created = this.#request(installation, key).finally(() => this.#pending.delete(key))
    this.#pending.set(key, created)
    return created
  }

  /** Removes a rejected token from the cache. */
  forget(installation: Installation): void {
    this.#cache.delete(keyOf(installation))
  }

  async #request(installation: Installation, key: string): Promise<InstallationToken> {
    const { http, limits, now } = this.options
    const jwt = await this.#jwt(installation)
    const authorization = { headers: async () => ({ authorization: `Bearer ${jwt}` }), secrets: () => [jwt], key }
    const repository = installation.repository
    const api = new RestApi({
      http,
      limits,
      base: installation.apiUrl,
      repository,
      authorization,
      headers: GITHUB_HEADERS,
    })
    const path = `/app/installations/${encodeURIComponent(installation.installationId)}/access_tokens`
    const purpose = {
      doing: `give the app a token for ${repository}`,
      what: `The installation ${installation.installationId} of the app`,
    }
    const { value } = await api.ask('POST', path, purpose, { body: { repositories: [repository.split('/')[1]] } })
    const token = textAt(value, ['token'])
    const expiresAt = new Date(textAt(value, ['expires_at']) ?? '')
    if (token === undefined || Number.isNaN(expiresAt.getTime()))
      throw new HostError('unavailable', `${api.host} returned no token for the app.`)
    const granted = at(value, 'permissions')
    const permissions = Object.fromEntries(
      Object.entries(isRecord(granted) ? granted : {})
        .slice(0, 100)
        .map(([name, level]) => [name, String(level)]),
    )
    const created = { token, expiresAt, permissions }
    if (expiresAt.getTime() > now().getTime()) this.#cache.set(key, created)
    return created
  }

  async #jwt({ privateKey, appId }: Installation): Promise<string> {
    try {
      return await this.options.signAppToken(privateKey, appId, this.options.now())
    } catch {
      // The cause may contain the key.
      throw new HostError(
        'unauthorized',
        "The app's private key cannot be used: enter the whole PEM file from GitHub, including its first and last line.",
      )
    }
  }
}

/**
 * Returns the cache key. It contains the private key, so that only its owner gets the tokens that were created with it.
 */
const keyOf = ({ apiUrl, repository, appId, installationId, privateKey }: Installation): string =>
  createHash('sha256')
    .update(JSON.stringify([apiUrl, repository.toLowerCase(), appId, installationId, privateKey]))
    .digest('hex')
