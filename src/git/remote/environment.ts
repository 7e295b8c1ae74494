import type { RemoteAddress } from './address.js'
import { bracketed } from './address.js'
import type { RemoteIdentity } from './identity.js'
import { sshCommand } from './ssh.js'

/**
 * Faults that old tools left in real histories and no reader trips over; large hosts let the same pass. All else that
 * `fsck` knows stays fatal, among it `.git` or `..` in a tree, unsorted or doubled entries, and dangerous `.gitmodules`.
 */
const TOLERATED = [
  'zeroPaddedFilemode',
  'zeroPaddedDate',
  'badTimezone',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'missingNameBeforeEmail',
  'missingEmail',
]

/** Streamed, not held in memory, from this size on. */
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
  // One pack, never loose objects: the check and the move into the repository deal with packs alone.
  ['fetch.unpackLimit', '1'],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.writeCommitGraph', 'false'],
  // Both would make Git follow URLs that the remote names.
  ['transfer.bundleURI', 'false'],
  ['fetch.uriProtocols', ''],
  ['http.followRedirects', 'false'],
  ['http.sslVerify', 'true'],
  ['http.proxy', ''],
  // A connection that is silent for a minute is dead; Git servers send a sign of life every 5 s.
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '60'],
]

/**
 * The credential is read from descriptor 3, a private pipe: it is in no argument, file, environment or prompt. (A
 * `GIT_ASKPASS` program would be given the user name, often itself a token, as an argument.) The empty entry drops
 * helpers that the repository's own config names.
 */
const CREDENTIAL_SETTINGS: readonly (readonly [string, string])[] = [
  ['credential.helper', ''],
  ['credential.helper', '!answer() { test "$1" != get || cat <&3; }; answer'],
]

/**
 * The whole environment of a Git process that talks to a remote: no system or user configuration, one protocol, the
 * host pinned to the addresses that were checked. Holds no credential.
 */
export function remoteEnvironment(remote: RemoteAddress, addresses: readonly string[], identity: RemoteIdentity): Record<string, string> {
  const pin = `${bracketed(remote.host)}:${remote.port}:${addresses.map(bracketed).join(',')}`
  const http = remote.protocol === 'http' || remote.protocol === 'https'
  const settings = [
    ...SETTINGS,
    ...CREDENTIAL_SETTINGS,
    ...(http ? [['http.curloptResolve', pin] as const] : []),
    ...(identity.caFile ? [['http.sslCAInfo', identity.caFile] as const] : []),
  ]
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    LC_ALL: 'C',
    // Not a folder, so nothing can be put into it: no .netrc, no .config/git.
    HOME: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ALLOW_PROTOCOL: remote.protocol,
    GIT_TERMINAL_PROMPT: '0',
    GIT_PROTOCOL_FROM_USER: '0',
    ...(remote.protocol === 'ssh' ? { GIT_SSH_COMMAND: sshCommand(remote, addresses[0] ?? '', identity), GIT_SSH_VARIANT: 'ssh' } : {}),
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
