/** What a credential of a host is for Git over HTTP. */
import type { HostCredential, Provider } from './types.js'

/** A user name and password for Git; `expiresAt` is null if it does not end by itself. */
export interface GitCredential {
  username: string
  password: string
  expiresAt: Date | null
}

/** Names that hosts want beside a token. Bitbucket is the one that is strict. */
const NAMES: Readonly<Record<Provider, string>> = {
  github: 'x-access-token',
  gitlab: 'oauth2',
  gitea: 'oauth2',
  bitbucket: 'x-token-auth',
  generic: 'git',
}

/** The name and password behind a credential that needs nobody to be asked; null if Git is opened by none, or by a key. */
export function fixedCredential(
  provider: Provider,
  credential: Exclude<HostCredential, { kind: 'githubApp' }>,
): GitCredential | null {
  if (credential.kind === 'none' || credential.kind === 'sshKey') return null
  if (credential.kind === 'basic')
    return { username: credential.username, password: credential.password, expiresAt: null }
  return { username: NAMES[provider], password: credential.token, expiresAt: null }
}
