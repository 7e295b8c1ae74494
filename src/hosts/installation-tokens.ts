/** Tokens of GitHub App installations: asked for by a JWT of the app, kept in memory, renewed before they expire. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { HttpClient } from '../outbound/index.js'
import { RestApi } from './api/rest-api.js'
import type { RateLimits } from './api/rate-limits.js'
import { GITHUB_HEADERS } from './api/github.js'
import { HostError } from './types.js'
import { at, textAt } from './values.js'

/** A token that ends within this is not used any more: an import may take a while. They last an hour. */
const RENEW_MS = 10 * 60_000
const MAX_TOKENS = 1000

/** Makes the JWT of an app, RS256, of at most ten minutes. Throws if the key is none. */
export type SignAppToken = (privateKey: string, appId: string, now: Date) => Promise<string>

interface InstallationToken {
  token: string
  expiresAt: Date
  /** As the installation was given them: `contents` → `write`. */
  permissions: Readonly<Record<string, string>>
}

/** An installation, and the one repository that a token of it is for. */
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

/** One token for each installation and repository; whoever asks while one is on its way waits for the same. */
export class InstallationTokens {
  readonly #kept = new LRUCache<string, InstallationToken>({ max: MAX_TOKENS })
  // bound: requests under way
  readonly #coming = new Map<string, Promise<InstallationToken>>()

  constructor(private readonly options: InstallationTokensOptions) {}

  /** A token that is valid for ten minutes at least. Throws `HostError`. */
  async token(installation: Installation): Promise<InstallationToken> {
    const key = keyOf(installation)
    const kept = this.#kept.get(key)
    if (kept && kept.expiresAt.getTime() - this.options.now().getTime() > RENEW_MS) return kept
    const coming = this.#coming.get(key)
    if (coming) return coming
    const made = this.#make(installation, key).finally(() => this.#coming.delete(key))
    this.#coming.set(key, made)
    return made
  }

  /** Forgets a token that was refused. */
  forget(installation: Installation): void {
    this.#kept.delete(keyOf(installation))
  }

  async #make(installation: Installation, key: string): Promise<InstallationToken> {
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
    const permissions = Object.fromEntries(
      Object.entries((at(value, 'permissions') as object | undefined) ?? {}).slice(0, 100),
    ) as Record<string, string>
    const made = { token, expiresAt, permissions }
    if (expiresAt.getTime() > now().getTime()) this.#kept.set(key, made)
    return made
  }

  async #jwt({ privateKey, appId }: Installation): Promise<string> {
    try {
      return await this.options.signAppToken(privateKey, appId, this.options.now())
    } catch {
      // the cause may quote the key
      throw new HostError(
        'unauthorized',
        "The app's private key cannot be used: enter the whole PEM file that GitHub made, with its first and last line.",
      )
    }
  }
}

/** Whoever does not have the private key does not get a token that was made with it. */
const keyOf = ({ apiUrl, repository, appId, installationId, privateKey }: Installation): string =>
  createHash('sha256')
    .update(JSON.stringify([apiUrl, repository.toLowerCase(), appId, installationId, privateKey]))
    .digest('hex')
