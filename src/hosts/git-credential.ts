/** Converts a host credential to a credential for Git over HTTP. */
import type { HostCredential, Provider } from './types.js'

/** A user name and password for Git. `expiresAt` is null if it does not expire. */
export interface GitCredential {
  username: string
  password: string
  expiresAt: Date | null
}

/** User names that hosts expect with a token. Only Bitbucket checks them. */
const USER_NAMES: Readonly<Record<Provider, string>> = {
  github: 'x-access-token',
  gitlab: 'oauth2',
  gitea: 'oauth2',
  bitbucket: 'x-token-auth',
  generic: 'git',
}

/** Returns the user name and password of a credential that needs no request; null if Git uses none, or a key. */
export function fixedCredential(
  provider: Provider,
  credential: Exclude<HostCredential, { kind: 'githubApp' }>,
): GitCredential | null {
  if (credential.kind === 'none' || credential.kind === 'sshKey') return null
  if (credential.kind === 'basic')
    return { username: credential.username, password: credential.password, expiresAt: null }
  return { username: USER_NAMES[provider], password: credential.token, expiresAt: null }
}
