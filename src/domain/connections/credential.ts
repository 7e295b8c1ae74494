/** The credential of a connection: checked, sealed for storing, and unsealed for one operation. */
import { createHmac, createPrivateKey } from 'node:crypto'
import { seal, unseal } from '../../auth/index.js'
import { RemoteError } from '../../git/index.js'
import { type HostAddress, HostError } from '../../hosts/index.js'
import { badRequest } from '../../kernel/errors.js'
import type { ConnectionCredentialInput, ConnectionDoc, SealedCredential } from '../../model/index.js'
import type { App } from '../context/app.js'
import { SyncFailure } from '../git-sync/failure.js'
import type { Credential } from '../git-sync/remote.js'

/** Binds what is sealed to its connection: it cannot be unsealed for another one. */
const placeOf = (connection: string): string => `connection:${connection}`

/** A keyed digest: equal credentials have the same one, and nobody without the key of the service can try guesses. */
const digestOf = (app: App, text: string): string =>
  createHmac('sha256', app.settings.signingKey).update(`connection credential\n${text}`).digest('base64url')

/** Seals a credential for the connection with this ID. Throws 400 for a private key that cannot be used. */
export function sealCredential(app: App, connection: string, input: ConnectionCredentialInput): SealedCredential {
  checkKey(input)
  const setAt = app.clock.now().toISOString()
  const secret = JSON.stringify(input)
  const digest = digestOf(app, secret)
  if (input.kind === 'none') return { kind: 'none', digest, setAt }
  const sealed = seal(app.settings.signingKey, placeOf(connection), secret)
  const shown = input.kind === 'githubApp' ? { appId: input.appId, installationId: input.installationId } : {}
  return { kind: input.kind, sealed, digest, setAt, ...shown }
}

/** The secret of the webhook, sealed. */
export const sealWebhookSecret = (app: App, connection: string, secret: string): string =>
  seal(app.settings.signingKey, `${placeOf(connection)}:webhook`, secret)

/** The secret of the connection's webhook; null if the signing key of the service was replaced since. Never log it. */
export const webhookSecretOfConnection = (app: App, { id, sealedWebhookSecret }: ConnectionDoc): string | null =>
  unseal(app.settings.signingKey, `${placeOf(id)}:webhook`, sealedWebhookSecret)

const PEM = /^-----BEGIN ([A-Z ]*PRIVATE KEY)-----\r?\n[A-Za-z0-9+/=\r\n]+-----END \1-----\s*$/

/** Throws 400 for a private key that needs a passphrase, or is none. No message contains any of it. */
function checkKey(input: ConnectionCredentialInput): void {
  if (input.kind !== 'sshKey' && input.kind !== 'githubApp') return
  const wrong = (message: string) =>
    badRequest('The private key cannot be used.', [{ path: '/credential/privateKey', message }])
  const [, label] = PEM.exec(input.privateKey.trim()) ?? []
  if (label === undefined)
    throw wrong('must be a whole private key, from its BEGIN line to its END line, without a passphrase')
  if (input.kind === 'sshKey' && /[\u0000-\u0008\u000b-\u001f]/.test((input.knownHosts ?? '').replaceAll('\r\n', '\n')))
    throw badRequest('knownHosts cannot be used.', [
      { path: '/credential/knownHosts', message: 'must be lines as ssh-keyscan writes them' },
    ])
  if (label === 'OPENSSH PRIVATE KEY') {
    // openssh-key-v1, then the cipher's name with its length: another one than `none` means a passphrase.
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

/** What the connection was given, unsealed. Throws `SyncFailure` if the signing key of the service was replaced since. */
export function unsealCredential(
  app: App,
  { id, credential }: Pick<ConnectionDoc, 'id' | 'credential'>,
): ConnectionCredentialInput {
  if (credential.sealed === undefined) return { kind: 'none' }
  const secret = unseal(app.settings.signingKey, placeOf(id), credential.sealed)
  if (secret === null)
    throw new SyncFailure(
      'The credential of the connection can no longer be read, because the key of this server was replaced. Set it again.',
    )
  return JSON.parse(secret) as ConnectionCredentialInput
}

/** The host of the connection's repository, and what opens it, unsealed. Throws `SyncFailure`. Never log it. */
export const hostAddressOf = (app: App, connection: ConnectionDoc): HostAddress => ({
  provider: connection.provider,
  url: connection.url,
  apiUrl: connection.apiUrl,
  credential: unsealCredential(app, connection),
})

/** What Git needs for one operation with the connection's repository: for a GitHub App, a short-lived token. Throws `SyncFailure`, `RemoteError`. Never log it. */
export async function gitCredentialOf(app: App, connection: ConnectionDoc): Promise<Credential | undefined> {
  const credential = unsealCredential(app, connection)
  if (credential.kind === 'none') return undefined
  if (credential.kind === 'sshKey') {
    const { privateKey, knownHosts } = credential
    return { ssh: { privateKey, ...(knownHosts === undefined ? {} : { knownHosts }) } }
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

/** What a host said about the credential, as if Git had been told so: whether it may pass decides when people hear of it. */
function asGitError(error: HostError): Error {
  const kind = KINDS[error.failure]
  return kind === undefined ? new SyncFailure(error.message) : new RemoteError(kind, error.message)
}
