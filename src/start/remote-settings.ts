/** The settings of remotes (repositories, content imports and OpenAPI specifications) and of connections to them. */
import {
  type RemoteProtocol,
  integer,
  networks,
  optionalFile,
  privateKeyFile,
  protocols,
  text,
} from './setting-values.js'
import { MIB, setting } from './setting.js'

export const remoteSettings = {
  remoteProtocols: setting<RemoteProtocol[]>(
    'REMOTE_PROTOCOLS',
    protocols,
    'https,ssh',
    'Protocols for remote repositories. `ssh` also requires `BINDERY_SSH_KEY_FILE`.',
  ),
  allowPrivateNetworks: setting<boolean | string[]>(
    'ALLOW_PRIVATE_NETWORKS',
    networks,
    'false',
    'Whether URLs from users may point to private addresses: `true`, `false`, or the allowed CIDR ranges, separated by commas.',
  ),
  sshKeyFile: setting<string | null>(
    'SSH_KEY_FILE',
    privateKeyFile,
    '',
    'File of the private key, without a passphrase, for the ssh remotes of all organizations; empty = no ssh remotes.',
  ),
  sshKnownHosts: setting<string | null>(
    'SSH_KNOWN_HOSTS',
    optionalFile,
    '',
    'File of the known ssh hosts, in the format of `ssh-keyscan`. Unknown hosts are rejected with the line to add. The file is read for every connection.',
  ),
  commitKeyFile: setting<string | null>(
    'COMMIT_KEY_FILE',
    privateKeyFile,
    '',
    'File of the private key that signs the commits of the service, including exports: an ssh key, or a secret GPG key exported with `--armor`, without a ' +
      'passphrase. Empty = commits are not signed.',
  ),
  committerEmail: setting<string>(
    'COMMITTER_EMAIL',
    text,
    'bindery@localhost',
    'Email address of the service as the committer. A Git host shows a signed commit as verified if the account with the key has this address.',
  ),
  remoteTimeoutSeconds: setting<number>(
    'REMOTE_TIMEOUT_SECONDS',
    integer(1, 86_400),
    '600',
    'Maximum duration of one fetch or push, in seconds.',
  ),
  importWaitSeconds: setting<number>(
    'IMPORT_WAIT_SECONDS',
    integer(0, 3_600),
    '25',
    'Maximum time in seconds that a request for a content import waits for its end. Then it returns the counts so far, and the import continues.',
  ),
  importSeconds: setting<number>(
    'IMPORT_SECONDS',
    integer(1, 86_400),
    '900',
    'Maximum time in seconds for which a content import reads. The content read by then is imported.',
  ),
  importPages: setting<number>(
    'IMPORT_PAGES',
    integer(1, 20_000),
    '1000',
    'Maximum number of pages per content import.',
  ),
  importBytes: setting<number>(
    'IMPORT_BYTES',
    integer(1024, 1024 * MIB),
    String(64 * MIB),
    'Maximum number of bytes that one content import fetches, and maximum size of an unpacked archive. Both are in memory during the import.',
  ),
  importDelayMs: setting<number>(
    'IMPORT_DELAY_MS',
    integer(0, 60_000),
    '200',
    "Minimum pause between two requests of a content import to the same website, in milliseconds. It is longer if the website's robots.txt requires it.",
  ),
  specLimitBytes: setting<number>(
    'OPENAPI_LIMIT_BYTES',
    integer(1024, 64 * MIB),
    String(10 * MIB),
    'Maximum size of an OpenAPI specification with all referenced files, in bytes. Its bundled document may be twice as large.',
  ),
  specFetchSeconds: setting<number>(
    'OPENAPI_FETCH_SECONDS',
    integer(1, 3_600),
    '60',
    'Maximum time in seconds to fetch an OpenAPI specification with all referenced files.',
  ),
  specRefreshHours: setting<number>(
    'OPENAPI_REFRESH_HOURS',
    integer(0, 8_760),
    '6',
    'Interval in hours at which OpenAPI specifications from URLs are fetched again; 0 = only on request.',
  ),
} as const

export const connectionSettings = {
  scratchBytes: setting<number>(
    'SCRATCH_BYTES',
    integer(1024 * 1024, 1024 ** 4),
    String(4 * 1024 ** 3),
    'Size of the scratch repositories in `.remotes` of the repository folder, in bytes. Above it, the least recently used ones are deleted. They can be ' +
      'rebuilt at any time.',
  ),
  connectionPollSeconds: setting<number>(
    'CONNECTION_POLL_SECONDS',
    integer(0, 86_400),
    '300',
    'Interval in seconds at which a connection polls the branches of its repository; 0 = only at the start and on webhooks. The interval grows while polls fail.',
  ),
  connectionQuietSeconds: setting<number>(
    'CONNECTION_QUIET_SECONDS',
    integer(0, 3_600),
    '10',
    'Quiet time in seconds after a change of the main content before a connection exports it. If changes continue, the export starts after six times as long.',
  ),
}
