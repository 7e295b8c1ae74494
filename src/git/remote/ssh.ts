/** Builds the `ssh` command line for Git, and explains failures that the host key causes. */
import { createHash } from 'node:crypto'
import { RemoteError } from '../errors.js'
import type { RemoteAddress } from './address.js'
import type { Launcher } from '../process/launcher.js'
import type { RemoteIdentity } from './identity.js'
import { type GitRun, runGit } from './run.js'

const SCAN_SECONDS = 10
/** Types of host keys, best first. `ssh` prefers them in the same order. */
const KEY_TYPES = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'ssh-rsa']
const HOST_KEY = new RegExp(`^\\S+ (${KEY_TYPES.join('|')}) ([A-Za-z0-9+/]+=*)$`)

/** Quotes a text for a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
/** Quotes a path for an option of `ssh`. The settings reject characters that `ssh` would expand. */
const path = (text: string): string => `"${text}"`

/** Returns the name of a remote in the known hosts file: its host, not its address, which may change. */
const knownAs = ({ host, port }: Pick<RemoteAddress, 'host' | 'port'>): string =>
  port === 22 ? host : `[${host}]:${port}`

/**
 * Returns the options of `ssh`: pinned to `address`, with only the key and known hosts of the settings, and without
 * configuration, agent or keys of the service's user, prompts and unknown hosts. `knownHosts` are the known hosts
 * files. Throws `RemoteError` 'refused-url' if the settings have no key.
 */
function sshOptions(
  remote: RemoteAddress,
  address: string,
  identity: RemoteIdentity,
  knownHosts: readonly string[],
): string[] {
  if (identity.sshKeyFile === undefined)
    throw new RemoteError('refused-url', `The remote's URL is not allowed: ${NO_SSH}`)
  return [
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${knownHosts.length === 0 ? path('/dev/null') : knownHosts.map(path).join(' ')}`,
    'GlobalKnownHostsFile=/dev/null',
    'UpdateHostKeys=no',
    'VerifyHostKeyDNS=no',
    `HostName=${address}`,
    `HostKeyAlias=${knownAs(remote)}`,
    'CheckHostIP=no',
    `IdentityFile=${path(identity.sshKeyFile)}`,
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'PreferredAuthentications=publickey',
    'ConnectTimeout=20',
    'ServerAliveInterval=20',
    'ServerAliveCountMax=3',
    'ForwardAgent=no',
    'ClearAllForwardings=yes',
    'ControlPath=none',
    'ProxyCommand=none',
    'PermitLocalCommand=no',
  ]
}

const filesOf = ({ knownHostsFile = '/dev/null' }: RemoteIdentity): readonly string[] => [knownHostsFile]

/** Returns the ssh command line with which Git connects to a remote, quoted for a shell. Throws like `sshOptions`. */
export const sshCommand = (
  remote: RemoteAddress,
  address: string,
  identity: RemoteIdentity,
  knownHosts = filesOf(identity),
): string =>
  `ssh -F /dev/null ${sshOptions(remote, address, identity, knownHosts)
    .map((option) => `-o ${quoted(option)}`)
    .join(' ')}`

/** Returns the arguments of `ssh` for a shell command on the host. Throws like `sshOptions`. */
export function sshArguments(
  remote: RemoteAddress,
  address: string,
  identity: RemoteIdentity,
  command: string,
  knownHosts = filesOf(identity),
): string[] {
  const options = sshOptions(remote, address, identity, knownHosts).flatMap((option) => ['-o', option])
  const login = remote.sshUser === undefined ? [] : ['-l', remote.sshUser]
  return ['-F', '/dev/null', ...options, '-T', '-p', String(remote.port), ...login, '--', remote.host, command]
}

/** The error for an ssh address if ssh is not set up. */
export const NO_SSH =
  'ssh is not set up on this server. Use "https://" with a token, or ask its operator to set a key in BINDERY_SSH_KEY_FILE, the known hosts in BINDERY_SSH_KNOWN_HOSTS, and "ssh" in BINDERY_REMOTE_PROTOCOLS.'

/**
 * Returns the error for a run in which `ssh` rejected the host key before it sent anything; null if it did not. The key
 * of an unknown host is fetched from the checked address, so that the error can show it.
 */
export async function hostKeyRefusal(
  run: GitRun,
  remote: RemoteAddress,
  address: string,
  launcher: Launcher,
): Promise<RemoteError | null> {
  if (run.code === 0 || !/^Host key verification failed\.\r?$/m.test(run.stderr)) return null
  if (/REMOTE HOST IDENTIFICATION HAS CHANGED/.test(run.stderr)) return changed(run, remote)
  if (!/^No \S+ host key is known for /m.test(run.stderr)) return null
  const key = await fetchHostKey(remote, address, launcher)
  const shown = key ? `. Its key is ${key.fingerprint} (${key.type})` : ', and its key could not be fetched'
  const line = key
    ? `this line: ${knownAs(remote)} ${key.type} ${key.base64}`
    : `a line that starts with ${knownAs(remote)}`
  return new RemoteError(
    'unreachable',
    `This server does not know the ssh host ${knownAs(remote)}${shown}. Nothing was sent to it. Compare the key with the one that the host's operator publishes. If they match, ask the operator of this server to add to the file in BINDERY_SSH_KNOWN_HOSTS ${line}`,
  )
}

function changed({ stderr }: GitRun, remote: RemoteAddress): RemoteError {
  const fingerprint = /^(SHA256:[A-Za-z0-9+/]{43})\.?\r?$/m.exec(stderr)?.[1]
  return new RemoteError(
    'unreachable',
    `The ssh host ${knownAs(remote)} has a different key than this server knows${fingerprint === undefined ? '' : `: ${fingerprint}`}. The connection may be intercepted. Nothing was sent to the host. If the host's operator confirms the new key, ask the operator of this server to replace the host's line in the file in BINDERY_SSH_KNOWN_HOSTS.`,
  )
}

interface HostKey {
  type: string
  base64: string
  /** The fingerprint in the format that `ssh` prints and operators publish. */
  fingerprint: string
}

/** Returns the best key that a host offers; null if it offers none in time. */
async function fetchHostKey({ port }: RemoteAddress, address: string, launcher: Launcher): Promise<HostKey | null> {
  const args = ['-T', String(SCAN_SECONDS), '-p', String(port), '-t', 'ed25519,ecdsa,rsa', '--', address]
  const scan = await runGit({ launcher, env: { HOME: '/dev/null' } }, args, {
    program: 'ssh-keyscan',
    timeoutMs: 2 * SCAN_SECONDS * 1000,
  }).catch(() => null)
  const keys = (scan?.stdout ?? '').split('\n').flatMap((line): HostKey[] => {
    const [, type, base64] = HOST_KEY.exec(line) ?? []
    return type === undefined || base64 === undefined ? [] : [{ type, base64, fingerprint: fingerprintOf(base64) }]
  })
  return keys.sort((a, b) => KEY_TYPES.indexOf(a.type) - KEY_TYPES.indexOf(b.type))[0] ?? null
}

const fingerprintOf = (base64: string): string =>
  `SHA256:${createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64').replace(/=+$/, '')}`
