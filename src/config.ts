/** All settings of the service: their environment variables, defaults and checks, and the function that reads them. */
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
  host: setting<string>('HOST', text, '127.0.0.1', 'Address to listen on; `0.0.0.0` or `::` for all.'),
  port: setting<number>('PORT', integer(0, 65_535), '3000', 'Port to listen on; 0 takes a free one.'),
  dataDir: setting<string>('DATA_DIR', text, './data', 'Folder of documents, uploads and keys.'),
  ...databaseSettings,
  reposDir: setting<string>('REPOS_DIR', text, './repos', 'Folder of the bare repositories.'),
  templatesDir: setting<string | null>(
    'TEMPLATES_DIR',
    folder,
    '',
    'Folder with templates of your own, beside those that come with the service: a folder for each.',
  ),
  publicUrl: setting<string | null>(
    'PUBLIC_URL',
    optionalOrigin,
    '',
    'Origin under which clients reach the service, such as `https://docs.example.org`; empty = the address that it listens on.',
  ),
  trustProxy: setting<number>(
    'TRUST_PROXY',
    integer(0, 10),
    '0',
    'Number of proxies in front that are trusted to name the caller in `X-Forwarded-For`.',
  ),
  adminEmail: setting<string | null>(
    'ADMIN_EMAIL',
    email,
    '',
    'At the first start, a user with this address is created, and a first organization of which they are the admin.',
  ),
  adminToken: setting<string | null>(
    'ADMIN_TOKEN',
    secret,
    '',
    'The token of that user, at least 20 characters; empty = one is created and shown once.',
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
    'Largest JSON body, in bytes.',
  ),
  responsesLimitBytes: setting<number>(
    'RESPONSES_LIMIT_BYTES',
    integer(1024, 64 * 1024 * MIB),
    String(128 * MIB),
    'Most bytes of all responses together that clients have not read yet; beyond that, requests get a 503 with `Retry-After`. The first 64 KiB of each are not counted.',
  ),
  bodiesLimitBytes: setting<number>(
    'BODIES_LIMIT_BYTES',
    integer(1024, 64 * 1024 * MIB),
    String(128 * MIB),
    'Most bytes of the bodies of all requests under way together; beyond that, requests get a 503 with `Retry-After`. The first 64 KiB of each are not counted.',
  ),
  fileLimitBytes: setting<number>(
    'FILE_LIMIT_BYTES',
    integer(1024, 4096 * MIB),
    String(25 * MIB),
    'Largest file that is uploaded or fetched for an upload, in bytes.',
  ),
  blobLimitBytes: setting<number>(
    'BLOB_LIMIT_BYTES',
    integer(1024, 4096 * MIB),
    String(100 * MIB),
    'Largest file that an import may bring, in bytes.',
  ),
  packLimitBytes: setting<number>(
    'PACK_LIMIT_BYTES',
    integer(1024, 64 * 1024 * MIB),
    String(1024 * MIB),
    'Most bytes that a fetch may bring.',
  ),
  lfsLimitBytes: setting<number>(
    'LFS_LIMIT_BYTES',
    integer(0, 4096 * MIB),
    String(100 * MIB),
    'Largest file that is fetched from Git LFS, in bytes; 0 = none are fetched.',
  ),
  lfsSpaceBytes: setting<number>(
    'LFS_SPACE_BYTES',
    integer(0, 1024 * 1024 * MIB),
    String(2048 * MIB),
    'Most bytes that a space may have of files from Git LFS. They are in the folder `lfs` of the data folder.',
  ),
  treeLimitEntries: setting<number>(
    'TREE_LIMIT_ENTRIES',
    integer(1, 10_000_000),
    '100000',
    'Most files in one revision.',
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
    'Size of the index `facts.db` in the data folder, in bytes, from which its oldest rows are dropped. It can be rebuilt at any time.',
  ),
  searchBytes: setting<number>(
    'SEARCH_BYTES',
    integer(MIB, 1024 * 1024 * MIB),
    String(2048 * MIB),
    'Size of the search indexes in the folder `search` of the data folder, in bytes, from which those that were not used for the longest time are deleted. They can be rebuilt at any time.',
  ),
  pdfBytes: setting<number>(
    'PDF_BYTES',
    integer(MIB, 1024 * 1024 * MIB),
    String(1024 * MIB),
    'Bytes of the PDFs that are kept in the data folder. Those that nobody asked for the longest are dropped; they can be rebuilt at any time.',
  ),
  chromium: setting<string | null>(
    'CHROMIUM',
    optionalFile,
    '',
    'Path of the Chromium that prints PDFs; empty = that of the system (package `chromium-headless-shell` or `chromium`), else the one in the package `@sparticuz/chromium`.',
  ),
  ratePerToken: setting<number>(
    'RATE_LIMIT_PER_MINUTE',
    integer(0, 10_000_000),
    '3000',
    'Requests per minute and token; 0 = no limit.',
  ),
  ratePerAddress: setting<number>(
    'RATE_LIMIT_PER_MINUTE_ADDRESS',
    integer(0, 10_000_000),
    '6000',
    'Requests per minute and address; 0 = no limit.',
  ),
  signInRate: setting<number>(
    'RATE_LIMIT_SIGN_INS',
    integer(0, 10_000_000),
    '20',
    'Requests to sign in per minute and address; 0 = no limit.',
  ),
  ssoRate: setting<number>(
    'RATE_LIMIT_SSO',
    integer(0, 10_000_000),
    '300',
    'Steps of single sign-on (starts, and responses of identity providers) per minute and address; 0 = no limit. A sign-in has two.',
  ),
  deliveryRate: setting<number>(
    'RATE_LIMIT_DELIVERIES',
    integer(0, 10_000_000),
    '600',
    'Deliveries of a Git host (webhooks of connections) per minute, address and connection; 0 = no limit.',
  ),
  ssoSessionHours: setting<number>(
    'SSO_SESSION_HOURS',
    integer(1, 720),
    '12',
    'Longest time that the token of a sign-in by single sign-on is valid, in hours: whoever is removed at the identity provider is out after that.',
  ),
  maxConnections: setting<number>('MAX_CONNECTIONS', integer(1, 1_000_000), '1000', 'Most open connections.'),
  maxConnectionsPerAddress: setting<number>(
    'MAX_CONNECTIONS_PER_ADDRESS',
    integer(1, 1_000_000),
    '250',
    'Most open connections of one address (of IPv6: one /64 network); not counted if `BINDERY_TRUST_PROXY` is set.',
  ),
  requestSeconds: setting<number>(
    'REQUEST_SECONDS',
    integer(1, 86_400),
    '300',
    'Longest time from the first byte of a request to its last.',
  ),
  smtpUrl: setting<string | null>(
    'SMTP_URL',
    smtpUrl,
    '',
    'Mail server for invitations and sign-in links: `smtp://user:password@mail.example.org:587` (add `?requireTLS=true` to insist on STARTTLS) or `smtps://…`. Secret. Empty = no mail: links of invitations are in the responses, and nobody can sign in by mail.',
  ),
  mailFrom: setting<string | null>(
    'MAIL_FROM',
    sender,
    '',
    'Sender of the mails: `Docs <docs@example.org>`. Needed with `BINDERY_SMTP_URL`.',
  ),
  remoteProtocols: setting<RemoteProtocol[]>(
    'REMOTE_PROTOCOLS',
    protocols,
    'https,ssh',
    'Protocols of remote repositories; `ssh` also needs `BINDERY_SSH_KEY_FILE`.',
  ),
  allowPrivateNetworks: setting<boolean | string[]>(
    'ALLOW_PRIVATE_NETWORKS',
    networks,
    'false',
    'Whether URLs from users may lead to private addresses: `true`, `false`, or the allowed CIDR ranges, separated by commas.',
  ),
  sshKeyFile: setting<string | null>(
    'SSH_KEY_FILE',
    privateKeyFile,
    '',
    'File of the private key, without a passphrase, that ssh remotes of all organizations are reached with; empty = no ssh remotes.',
  ),
  sshKnownHosts: setting<string | null>(
    'SSH_KNOWN_HOSTS',
    optionalFile,
    '',
    'File of the known ssh hosts, as `ssh-keyscan` writes them. A host that is not in it is refused, with the line to add. The file is read again for every connection.',
  ),
  commitKeyFile: setting<string | null>(
    'COMMIT_KEY_FILE',
    privateKeyFile,
    '',
    'File of the private key that signs the commits of the service, exports too: an ssh key, or a secret GPG key exported with `--armor`, without a passphrase. Empty = commits are not signed.',
  ),
  committerEmail: setting<string>(
    'COMMITTER_EMAIL',
    text,
    'bindery@localhost',
    'Address of the service as the committer of its commits. A Git host shows a signed commit as verified if the account that has the key has this address.',
  ),
  remoteTimeoutSeconds: setting<number>(
    'REMOTE_TIMEOUT_SECONDS',
    integer(1, 86_400),
    '600',
    'Longest time for one fetch or push.',
  ),
  importWaitSeconds: setting<number>(
    'IMPORT_WAIT_SECONDS',
    integer(0, 3_600),
    '25',
    'How long a request to import content waits for the end of the import; then it gets the counts so far, and the import goes on.',
  ),
  importSeconds: setting<number>(
    'IMPORT_SECONDS',
    integer(1, 86_400),
    '900',
    'Longest time in which an import of content reads; what was read by then is imported.',
  ),
  importPages: setting<number>('IMPORT_PAGES', integer(1, 20_000), '1000', 'Most pages of one import of content.'),
  importBytes: setting<number>(
    'IMPORT_BYTES',
    integer(1024, 1024 * MIB),
    String(64 * MIB),
    'Most bytes that one import of content may fetch, and most bytes of an unpacked archive. Two imports run at a time, in memory.',
  ),
  importDelayMs: setting<number>(
    'IMPORT_DELAY_MS',
    integer(0, 60_000),
    '200',
    'Pause between two requests of an import to the same website, in milliseconds; longer if its robots.txt asks for it.',
  ),
  specLimitBytes: setting<number>(
    'OPENAPI_LIMIT_BYTES',
    integer(1024, 64 * MIB),
    String(10 * MIB),
    'Largest OpenAPI specification, with all files that it refers to, in bytes. Its bundled document may have twice as many.',
  ),
  specFetchSeconds: setting<number>(
    'OPENAPI_FETCH_SECONDS',
    integer(1, 3_600),
    '60',
    'Longest time to fetch an OpenAPI specification with all files that it refers to.',
  ),
  specRefreshHours: setting<number>(
    'OPENAPI_REFRESH_HOURS',
    integer(0, 8_760),
    '6',
    'How often OpenAPI specifications that were given by URL are fetched again, in hours; 0 = only when asked.',
  ),
  ...translationSettings,
  ...connectionSettings,
  eventDays: setting<number>(
    'EVENT_DAYS',
    integer(1, 3_650),
    '30',
    'Days that events and deliveries of webhooks are kept.',
  ),
  auditDays: setting<number>(
    'AUDIT_LOG_DAYS',
    integer(1, 3_650),
    '90',
    'Days that entries of the audit log are kept, on disk: 1,000 of them take about half a megabyte.',
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
    'Opens `/metrics` as a bearer token. Without it, only callers on this machine see it, and nobody if a proxy is in front (`BINDERY_PUBLIC_URL` or `BINDERY_TRUST_PROXY` is set).',
  ),
  checkResponses: setting<boolean>(
    'CHECK_RESPONSES',
    flag,
    'false',
    'Check every response against its schema, for development: a response that does not match becomes a 500.',
  ),
} as const

type Values = { [K in keyof typeof settings]: (typeof settings)[K] extends Setting<infer T> ? T : never }

/** The settings of one service. */
export type Config = Readonly<Values>

/** One line of the table in docs/settings.md. */
interface SettingRow {
  name: string
  default: string
  description: string
}

/** All settings with their defaults, in the order of the table in docs/settings.md. */
export const settingsTable = (): SettingRow[] =>
  Object.values(settings).map(({ name, default: fallback, description }) => ({ name, default: fallback, description }))

/** The settings are wrong; the message lists everything that is wrong, one per line, without the values. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Reads the settings. Folders become absolute, since Git processes run elsewhere. Throws `ConfigError` with all that is wrong. */
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
  // As they were given: `clean` throws for those that are wrong by themselves.
  if (given.BINDERY_SMTP_URL && given.BINDERY_MAIL_FROM === '')
    wrong.push('BINDERY_MAIL_FROM must be set if BINDERY_SMTP_URL is set')
  if (given.BINDERY_SIGNING_KEY && given.BINDERY_SIGNING_KEY_FILE)
    wrong.push('only one of BINDERY_SIGNING_KEY and BINDERY_SIGNING_KEY_FILE may be set')
  if ((given.BINDERY_DEEPL_KEY === '') !== (given.BINDERY_DEEPL_URL === ''))
    wrong.push('BINDERY_DEEPL_URL and BINDERY_DEEPL_KEY must be set together')
  if (given.BINDERY_OPENAI_URL && given.BINDERY_OPENAI_MODEL === '')
    wrong.push('BINDERY_OPENAI_MODEL must be set if BINDERY_OPENAI_URL is set')
  if (wrong.length > 0) throw new ConfigError(`The configuration is wrong:\n  ${wrong.join('\n  ')}`)
  const values = Object.fromEntries(
    entries.map(([key, one]) => [key, clean[one.name] === '' ? null : clean[one.name]]),
  ) as Values
  return Object.freeze({ ...values, dataDir: resolve(values.dataDir), reposDir: resolve(values.reposDir) })
}
