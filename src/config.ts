/** All settings of the service: environment variables, defaults and checks, and the function that reads them. */
import { resolve } from 'node:path'
import { cleanEnv } from 'envalid'
import type { LogLevel } from './kernel/log.js'
import {
  type RemoteProtocol,
  email,
  flag,
  folder,
  integer,
  level,
  networks,
  optionalFile,
  optionalOrigin,
  origins,
  privateKeyFile,
  protocols,
  secret,
  sender,
  smtpUrl,
  text,
} from './start/setting-values.js'
import { connectionSettings } from './start/connection-settings.js'
import { databaseSettings } from './start/database-settings.js'
import { MIB, type Setting, setting } from './start/setting.js'
import { translationSettings } from './start/translation-settings.js'

const settings = {
  host: setting<string>('HOST', text, '127.0.0.1', 'Address to listen on; `0.0.0.0` or `::` for all addresses.'),
  port: setting<number>('PORT', integer(0, 65_535), '3000', 'Port to listen on; 0 = any free port.'),
  dataDir: setting<string>('DATA_DIR', text, './data', 'Folder of documents, uploads and keys.'),
  ...databaseSettings,
  reposDir: setting<string>('REPOS_DIR', text, './repos', 'Folder of the bare repositories.'),
  templatesDir: setting<string | null>(
    'TEMPLATES_DIR',
    folder,
    '',
    'Folder with your own templates, one subfolder each, in addition to the included ones.',
  ),
  publicUrl: setting<string | null>(
    'PUBLIC_URL',
    optionalOrigin,
    '',
    'Origin under which clients reach the service, such as `https://docs.example.org`; empty = the listen address.',
  ),
  trustProxy: setting<number>(
    'TRUST_PROXY',
    integer(0, 10),
    '0',
    'Number of trusted proxies in front that set `X-Forwarded-For`.',
  ),
  adminEmail: setting<string | null>(
    'ADMIN_EMAIL',
    email,
    '',
    'The first start creates a user with this address, and a first organization with this user as admin.',
  ),
  adminToken: setting<string | null>(
    'ADMIN_TOKEN',
    secret,
    '',
    'The token of this user, at least 20 characters; empty = a token is generated and shown once.',
  ),
  logLevel: setting<LogLevel>(
    'LOG_LEVEL',
    level,
    'info',
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
  ),
  bodyLimitBytes: setting<number>(
    'BODY_LIMIT_BYTES',
    integer(1024, 1024 * MIB),
    String(10 * MIB),
    'Maximum size of a JSON body, in bytes.',
  ),
  responsesLimitBytes: setting<number>(
    'RESPONSES_LIMIT_BYTES',
    integer(1024, 64 * 1024 * MIB),
    String(128 * MIB),
    'Maximum total size of all responses that clients have not read yet, in bytes. Above it, requests get a 503 with `Retry-After`. The first 64 KiB of ' +
      'each response are not counted.',
  ),
  bodiesLimitBytes: setting<number>(
    'BODIES_LIMIT_BYTES',
    integer(1024, 64 * 1024 * MIB),
    String(128 * MIB),
    'Maximum total size of the bodies of all running requests, in bytes. Above it, requests get a 503 with `Retry-After`. The first 64 KiB of each body are not counted.',
  ),
  fileLimitBytes: setting<number>(
    'FILE_LIMIT_BYTES',
    integer(1024, 4096 * MIB),
    String(25 * MIB),
    'Maximum size of a file that is uploaded or fetched for an upload, in bytes.',
  ),
  blobLimitBytes: setting<number>(
    'BLOB_LIMIT_BYTES',
    integer(1024, 4096 * MIB),
    String(100 * MIB),
    'Maximum size of a file in an import, in bytes.',
  ),
  packLimitBytes: setting<number>(
    'PACK_LIMIT_BYTES',
    integer(1024, 64 * 1024 * MIB),
    String(1024 * MIB),
    'Maximum number of bytes per fetch.',
  ),
  lfsLimitBytes: setting<number>(
    'LFS_LIMIT_BYTES',
    integer(0, 4096 * MIB),
    String(100 * MIB),
    'Maximum size of a file that is fetched from Git LFS, in bytes; 0 = no files are fetched.',
  ),
  lfsSpaceBytes: setting<number>(
    'LFS_SPACE_BYTES',
    integer(0, 1024 * 1024 * MIB),
    String(2048 * MIB),
    "Maximum total size of a space's Git LFS files, in bytes. They are in the folder `lfs` of the data folder.",
  ),
  treeLimitEntries: setting<number>(
    'TREE_LIMIT_ENTRIES',
    integer(1, 10_000_000),
    '100000',
    'Maximum number of files in one revision.',
  ),
  folderLimitEntries: setting<number>(
    'FOLDER_LIMIT_ENTRIES',
    integer(1, 10_000_000),
    '20000',
    'Maximum number of files and folders in one folder.',
  ),
  cacheBytes: setting<number>(
    'CACHE_BYTES',
    integer(16 * MIB, 1024 * 1024 * MIB),
    String(256 * MIB),
    'Memory for all caches together (objects, revisions, pages, histories, responses), in bytes. A machine with 1 GB has room for the default.',
  ),
  factsBytes: setting<number>(
    'FACTS_BYTES',
    integer(MIB, 1024 * 1024 * MIB),
    String(1024 * MIB),
    'Size of the index `facts.db` in the data folder, in bytes. Above it, the oldest rows are deleted. It can be rebuilt at any time.',
  ),
  searchBytes: setting<number>(
    'SEARCH_BYTES',
    integer(MIB, 1024 * 1024 * MIB),
    String(2048 * MIB),
    'Size of the search indexes in the folder `search` of the data folder, in bytes. Above it, the least recently used ones are deleted. They can be rebuilt at any time.',
  ),
  pdfBytes: setting<number>(
    'PDF_BYTES',
    integer(MIB, 1024 * 1024 * MIB),
    String(1024 * MIB),
    'Size of the PDFs in the data folder, in bytes. Above it, the least recently used ones are deleted. They can be rebuilt at any time.',
  ),
  chromium: setting<string | null>(
    'CHROMIUM',
    optionalFile,
    '',
    "Path of the Chromium that prints PDFs; empty = the system's Chromium (package `chromium-headless-shell` or `chromium`), else the one in the package " +
      '`@sparticuz/chromium`.',
  ),
  ratePerToken: setting<number>(
    'RATE_LIMIT_PER_MINUTE',
    integer(0, 10_000_000),
    '3000',
    'Maximum number of requests per minute and token; 0 = no limit.',
  ),
  ratePerAddress: setting<number>(
    'RATE_LIMIT_PER_MINUTE_ADDRESS',
    integer(0, 10_000_000),
    '6000',
    'Maximum number of requests per minute and address; 0 = no limit.',
  ),
  signInRate: setting<number>(
    'RATE_LIMIT_SIGN_INS',
    integer(0, 10_000_000),
    '20',
    'Maximum number of sign-in requests per minute and address; 0 = no limit.',
  ),
  ssoRate: setting<number>(
    'RATE_LIMIT_SSO',
    integer(0, 10_000_000),
    '300',
    'Maximum number of single sign-on steps (starts, and responses of identity providers) per minute and address; 0 = no limit. A sign-in has two steps.',
  ),
  deliveryRate: setting<number>(
    'RATE_LIMIT_DELIVERIES',
    integer(0, 10_000_000),
    '600',
    'Maximum number of deliveries from a Git host (webhooks of connections) per minute, address and connection; 0 = no limit.',
  ),
  ssoSessionHours: setting<number>(
    'SSO_SESSION_HOURS',
    integer(1, 720),
    '12',
    'Maximum validity of a token from a single sign-on, in hours. A user who is removed at the identity provider loses access after that.',
  ),
  maxConnections: setting<number>(
    'MAX_CONNECTIONS',
    integer(1, 1_000_000),
    '1000',
    'Maximum number of open connections.',
  ),
  maxConnectionsPerAddress: setting<number>(
    'MAX_CONNECTIONS_PER_ADDRESS',
    integer(1, 1_000_000),
    '250',
    'Maximum number of open connections per address (for IPv6: per /64 network). Not applied if `BINDERY_TRUST_PROXY` is set.',
  ),
  requestSeconds: setting<number>(
    'REQUEST_SECONDS',
    integer(1, 86_400),
    '300',
    'Maximum duration from the first byte of a request to its last, in seconds.',
  ),
  smtpUrl: setting<string | null>(
    'SMTP_URL',
    smtpUrl,
    '',
    'Mail server for invitations and sign-in links: `smtp://user:password@mail.example.org:587` (add `?requireTLS=true` to require STARTTLS) or ' +
      '`smtps://…`. Secret. Empty = no mail: invitation links are in the responses, and no one can sign in by mail.',
  ),
  mailFrom: setting<string | null>(
    'MAIL_FROM',
    sender,
    '',
    'Sender of the mails: `Docs <docs@example.org>`. Required with `BINDERY_SMTP_URL`.',
  ),
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
    'Maximum number of bytes that one content import fetches, and maximum size of an unpacked archive. Two imports run at a time, in memory.',
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
  ...translationSettings,
  ...connectionSettings,
  eventDays: setting<number>(
    'EVENT_DAYS',
    integer(1, 3_650),
    '30',
    'Number of days for which events and webhook deliveries are kept.',
  ),
  auditDays: setting<number>(
    'AUDIT_LOG_DAYS',
    integer(1, 3_650),
    '90',
    'Number of days for which audit log entries are kept on disk. 1,000 entries take about half a megabyte.',
  ),
  corsOrigins: setting<string[]>(
    'CORS_ORIGINS',
    origins,
    '*',
    'Origins whose scripts may call the API, separated by commas; `*` = all, empty = none.',
  ),
  metricsToken: setting<string | null>(
    'METRICS_TOKEN',
    secret,
    '',
    'Bearer token that opens `/metrics`. Without it, only callers on this machine can read it, and no one if there is a proxy in front ' +
      '(`BINDERY_PUBLIC_URL` or `BINDERY_TRUST_PROXY` is set).',
  ),
  checkResponses: setting<boolean>(
    'CHECK_RESPONSES',
    flag,
    'false',
    'Checks every response against its schema, for development. A response that does not match becomes a 500.',
  ),
} as const

type Values = { [K in keyof typeof settings]: (typeof settings)[K] extends Setting<infer T> ? T : never }

/** The settings of one service. */
export type Config = Readonly<Values>

/** One row of the table in docs/settings.md. */
interface SettingRow {
  name: string
  default: string
  description: string
}

/** Returns all settings with their defaults, in the order of the table in docs/settings.md. */
export const settingsTable = (): SettingRow[] =>
  Object.values(settings).map(({ name, default: fallback, description }) => ({ name, default: fallback, description }))

/** The settings are invalid. The message lists all problems, one per line, without the values. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * Reads the settings. Folders become absolute, because Git processes run in other folders. Throws `ConfigError` with
 * all problems.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const wrong: string[] = []
  const entries = Object.entries(settings as Record<string, Setting<unknown>>)
  const given = Object.fromEntries(entries.map(([, one]) => [one.name, env[one.name] ?? one.default]))
  const specs = Object.fromEntries(entries.map(([, one]) => [one.name, one.validator({})]))
  const clean = cleanEnv(given, specs, {
    reporter: ({ errors }) =>
      void wrong.push(...Object.entries(errors).map(([name, error]) => `${name} ${error?.message ?? 'is invalid'}`)),
  }) as Record<string, unknown>
  for (const name of Object.keys(env))
    if (name.startsWith('BINDERY_') && !(name in given)) wrong.push(`${name} is not a setting of this service`)
  // Read from `given`, because `clean` throws for invalid values.
  if (given.BINDERY_SMTP_URL && given.BINDERY_MAIL_FROM === '')
    wrong.push('BINDERY_MAIL_FROM must be set if BINDERY_SMTP_URL is set')
  if (given.BINDERY_SIGNING_KEY && given.BINDERY_SIGNING_KEY_FILE)
    wrong.push('only one of BINDERY_SIGNING_KEY and BINDERY_SIGNING_KEY_FILE may be set')
  if ((given.BINDERY_DEEPL_KEY === '') !== (given.BINDERY_DEEPL_URL === ''))
    wrong.push('BINDERY_DEEPL_URL and BINDERY_DEEPL_KEY must be set together')
  if (given.BINDERY_OPENAI_URL && given.BINDERY_OPENAI_MODEL === '')
    wrong.push('BINDERY_OPENAI_MODEL must be set if BINDERY_OPENAI_URL is set')
  if (wrong.length > 0) throw new ConfigError(`The configuration is invalid:\n  ${wrong.join('\n  ')}`)
  const values = Object.fromEntries(
    entries.map(([key, one]) => [key, clean[one.name] === '' ? null : clean[one.name]]),
  ) as Values
  return Object.freeze({ ...values, dataDir: resolve(values.dataDir), reposDir: resolve(values.reposDir) })
}
