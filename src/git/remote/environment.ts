// The settings and environment of Git processes that work with a remote.
import { hermeticEnvironment } from '../process/environment.js'
import type { RemoteAddress } from './address.js'
import { bracketed } from './address.js'
import type { RemoteIdentity } from './identity.js'
import { sshCommand } from './ssh.js'
import { TOLERATED } from './tolerated.js'

/** Minimum size of a file that Git streams instead of holding it in memory. */
const BIG_FILE = '32m'

const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsync', 'all'],
  ['core.askPass', ''],
  ['core.bigFileThreshold', BIG_FILE],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['protocol.version', '2'],
  ['transfer.fsckObjects', 'true'],
  ['fetch.fsckObjects', 'true'],
  ...TOLERATED.map((name) => [`fetch.fsck.${name}`, 'warn'] as const),
  // Always store one pack, never loose objects: the quarantine handles only packs.
  ['fetch.unpackLimit', '1'],
  ['fetch.recurseSubmodules', 'false'],
  // A quarantine sees the refs of its repository. Without this setting, Git starts two processes to list them again as
  // refs of an alternate.
  ['core.alternateRefsCommand', 'true'],
  ['fetch.writeCommitGraph', 'false'],
  // Otherwise, Git would fetch from URLs that the remote names.
  ['transfer.bundleURI', 'false'],
  ['fetch.uriProtocols', ''],
  ['http.followRedirects', 'false'],
  ['http.sslVerify', 'true'],
  ['http.proxy', ''],
  // A connection without data for a minute counts as dead. Git servers send keep-alive packets every 5 s.
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '60'],
]

/**
 * Lets Git read the credential from descriptor 3, a private pipe, so that it appears in no argument, file, environment
 * variable or prompt. (A `GIT_ASKPASS` program would get the user name, which is often a token, as an argument.) The
 * empty entry removes the helpers of the repository's own config.
 */
const CREDENTIAL_SETTINGS: readonly (readonly [string, string])[] = [
  ['credential.helper', ''],
  ['credential.helper', '!answer() { test "$1" != get || cat <&3; }; answer'],
]

/**
 * Returns the environment of a Git process that works with a remote: the environment of every Git process, with one
 * allowed protocol, and the host pinned to the checked addresses. Contains no credential.
 */
export function remoteEnvironment(
  remote: RemoteAddress,
  addresses: readonly string[],
  identity: RemoteIdentity,
): Record<string, string> {
  const pin = `${bracketed(remote.host)}:${remote.port}:${addresses.map(bracketed).join(',')}`
  const http = remote.protocol === 'http' || remote.protocol === 'https'
  const settings = [
    ...SETTINGS,
    ...CREDENTIAL_SETTINGS,
    ...(http ? [['http.curloptResolve', pin] as const] : []),
    ...(identity.caFile ? [['http.sslCAInfo', identity.caFile] as const] : []),
  ]
  return {
    // /dev/null is not a folder, so it can contain no .netrc and no .config/git.
    ...hermeticEnvironment('/dev/null'),
    GIT_ALLOW_PROTOCOL: remote.protocol,
    GIT_PROTOCOL_FROM_USER: '0',
    ...(remote.protocol === 'ssh'
      ? { GIT_SSH_COMMAND: sshCommand(remote, addresses[0] ?? '', identity), GIT_SSH_VARIANT: 'ssh' }
      : {}),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(
        ([key, value], i) =>
          [
            [`GIT_CONFIG_KEY_${i}`, key],
            [`GIT_CONFIG_VALUE_${i}`, value],
          ] as const,
      ),
    ),
  }
}
