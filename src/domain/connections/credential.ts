/** Validates and seals the credential of a connection, and unseals it for one operation. */
import { createHmac, createPrivateKey } from 'node:crypto'
import { seal, unseal } from '../../auth/index.js'
import { RemoteError } from '../../git/index.js'
import { type HostAddress, HostError } from '../../hosts/index.js'
import { badRequest } from '../../kernel/errors.js'
import type { ConnectionCredentialInput, ConnectionDoc, SealedCredential } from '../../model/index.js'
import type { App } from '../context/app.js'
import { SyncFailure } from '../git-sync/failure.js'
import type { Credential } from '../git-sync/remote.js'
import { defined } from '../../kernel/defined.js'

/** Binds a sealed value to its connection, so that it cannot be unsealed for another one. */
const sealContext = (connection: string): string => `connection:${connection}`

/** Returns a keyed digest. Equal credentials have equal digests. Guesses cannot be tested without the server's key. */
const digestOf = (app: App, text: string): string =>
  createHmac('sha256', app.settings.signingKey).update(`connection credential\n${text}`).digest('base64url')

/** Seals a credential for the connection with this ID. Throws 400 for an unusable private key. */
export function sealCredential(app: App, connection: string, input: ConnectionCredentialInput): SealedCredential {
  checkKey(input)
  const setAt = app.clock.now().toISOString()
  const secret = JSON.stringify(input)
  const digest = digestOf(app, secret)
  if (input.kind === 'none') return { kind: 'none', digest, setAt }
  const sealed = seal(app.settings.signingKey, sealContext(connection), secret)
  const shown = input.kind === 'githubApp' ? { appId: input.appId, installationId: input.installationId } : {}
  return { kind: input.kind, sealed, digest, setAt, ...shown }
}

/** Seals the secret of a connection's webhook. */
export const sealWebhookSecret = (app: App, connection: string, secret: string): string =>
  seal(app.settings.signingKey, `${sealContext(connection)}:webhook`, secret)

/** Unseals the secret of a connection's webhook. Null if the signing key of the server was replaced. Never log it. */
export const webhookSecretOfConnection = (app: App, { id, sealedWebhookSecret }: ConnectionDoc): string | null =>
  unseal(app.settings.signingKey, `${sealContext(id)}:webhook`, sealedWebhookSecret)

const PEM = /^-----BEGIN ([A-Z ]*PRIVATE KEY)-----\r?\n[A-Za-z0-9+/=\r\n]+-----END \1-----\s*$/

/** Throws 400 for an invalid private key or one with a passphrase. No message contains any part of the key. */
function checkKey(input: ConnectionCredentialInput): void {
  if (input.kind !== 'sshKey' && input.kind !== 'githubApp') return
  const wrong = (message: string) =>
    badRequest('The private key cannot be used.', [{ path: '/credential/privateKey', message }])
  const [, label] = PEM.exec(input.privateKey.trim()) ?? []
  if (label === undefined)
    throw wrong('must be a whole private key, from its BEGIN line to its END line, without a passphrase')
  if (input.kind === 'sshKey' && /[\u0000-\u0008\u000b-\u001f]/.test((input.knownHosts ?? '').replaceAll('\r\n', '\n')))
    throw badRequest('knownHosts cannot be used.', [
      { path: '/credential/knownHosts', message: 'must be lines in the format of ssh-keyscan' },
    ])
  if (label === 'OPENSSH PRIVATE KEY') {
    // The format is openssh-key-v1, then the length and name of the cipher. Any cipher but `none` means a passphrase.
    const body = Buffer.from(input.privateKey.replace(/-----[^-]+-----/g, ''), 'base64')
    const plain =
      body.subarray(0, 15).toString('latin1') === 'openssh-key-v1\0' &&
      body.subarray(19, 23).toString('latin1') === 'none'
    if (input.kind === 'githubApp' || !plain)
      throw wrong(input.kind === 'githubApp' ? 'must be an RSA key, PEM' : 'must be a private key without a passphrase')
    return
  }
  let type: string | undefined
  try {
    type = createPrivateKey(input.privateKey).asymmetricKeyType
  } catch {
    throw wrong('must be a private key without a passphrase')
  }
  if (input.kind === 'githubApp' && type !== 'rsa') throw wrong('must be an RSA key, PEM')
}

/** Unseals the credential of a connection. Throws `SyncFailure` if the signing key of the server was replaced. */
export function unsealCredential(
  app: App,
  { id, credential }: Pick<ConnectionDoc, 'id' | 'credential'>,
): ConnectionCredentialInput {
  if (credential.sealed === undefined) return { kind: 'none' }
  const secret = unseal(app.settings.signingKey, sealContext(id), credential.sealed)
  if (secret === null)
    throw new SyncFailure(
      'The credential of the connection can no longer be read, because the key of this server was replaced. Set it again.',
    )
  return JSON.parse(secret)
}

/** Returns the host of the connection's repository with the unsealed credential. Throws `SyncFailure`. Never log it. */
export const hostAddressOf = (app: App, connection: ConnectionDoc): HostAddress => ({
  provider: connection.provider,
  url: connection.url,
  apiUrl: connection.apiUrl,
  credential: unsealCredential(app, connection),
})

/**
 * Returns the credential that Git needs for one operation. For a GitHub App it is a short-lived token. Throws
 * `SyncFailure`, `RemoteError`. Never log it.
 */
export async function gitCredentialOf(app: App, connection: ConnectionDoc): Promise<Credential | undefined> {
  const credential = unsealCredential(app, connection)
  if (credential.kind === 'none') return undefined
  if (credential.kind === 'sshKey') {
    const { privateKey, knownHosts } = credential
    return { ssh: { privateKey, ...defined({ knownHosts }) } }
  }
  try {
    const given = await app.hosts.gitCredential(hostAddressOf(app, connection))
    return given === null ? undefined : { username: given.username, password: given.password }
  } catch (error) {
    throw error instanceof HostError ? asGitError(error) : error
  }
}

const KINDS: Partial<Record<HostError['failure'], RemoteError['kind']>> = {
  notFound: 'not-a-repository',
  unauthorized: 'unauthorized',
  noRight: 'unauthorized',
  rateLimited: 'unreachable',
  unavailable: 'unreachable',
}

/** Converts a host's error about the credential to the matching Git error. The kind decides when users are notified. */
function asGitError(error: HostError): Error {
  const kind = KINDS[error.failure]
  return kind === undefined ? new SyncFailure(error.message) : new RemoteError(kind, error.message)
}
