/** All settings of the service: their environment variables, defaults and checks, and the function that reads them. */
import { accessSync, constants, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { cleanEnv, EnvError, makeValidator, type ValidatorSpec } from 'envalid'
import ipaddr from 'ipaddr.js'
import type { LogLevel } from './kernel/log.js'

const MIB = 1024 * 1024

const fail = (message: string): never => {
  throw new EnvError(message)
}

/** envalid has no null: a setting that is empty is not set, and becomes null in `loadConfig`. */
const text = makeValidator<string>((input) => (input === '' ? fail('must not be empty') : input))
const flag = makeValidator<boolean>((input) => {
  if (['true', '1', 'yes', 'on'].includes(input)) return true
  return ['false', '0', 'no', 'off', ''].includes(input) ? false : fail('must be true or false')
})
const integer = (min: number, max: number) =>
  makeValidator<number>((input) => {
    const value = Number(input)
    return /^\d+$/.test(input) && value >= min && value <= max ? value : fail(`must be a whole number from ${min} to ${max}`)
  })
const words = (input: string): string[] => input.split(',').flatMap((word) => word.trim() || [])
const level = makeValidator<LogLevel>((input) =>
  ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].includes(input)
    ? (input as LogLevel)
    : fail('must be one of fatal, error, warn, info, debug, trace, silent'),
)
const secret = makeValidator<string>((input) =>
  input === '' ? '' : input.length >= 20 && !/\s/.test(input) ? input : fail('must have at least 20 characters and no blanks'),
)
const email = makeValidator<string>((input) => (input === '' ? '' : /^[^\s@]+@[^\s@]+$/.test(input) ? input : fail('must be an e-mail address')))

const smtpUrl = makeValidator<string>((input) => {
  if (input === '') return ''
  const url = URL.canParse(input) ? new URL(input) : fail('must be an smtp or smtps URL')
  return ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '' ? input : fail('must be an smtp or smtps URL')
})
const sender = makeValidator<string>((input) =>
  input === '' || /^(?:[^<>"@\p{Cc}]{0,100}<[^\s@<>",;]+@[^\s@<>",;]+>|[^\s@<>",;]+@[^\s@<>",;]+)$/u.test(input)
    ? input
    : fail('must be an e-mail address, or a name and an address: Docs <docs@example.org>'),
)

/** An origin: scheme and host, no path, no slash at the end. */
function originOf(input: string): string {
  const url = URL.canParse(input) ? new URL(input) : fail('must be an http or https URL')
  if (!['http:', 'https:'].includes(url.protocol)) fail('must be an http or https URL')
  if (url.pathname !== '/' || url.search || url.hash || url.username) fail('must be scheme, host and port only, such as https://docs.example.org')
  return url.origin
}
const optionalOrigin = makeValidator<string>((input) => (input === '' ? '' : originOf(input)))
const origins = makeValidator<string[]>((input) => words(input).map((word) => (word === '*' ? word : originOf(word))))
const protocols = makeValidator<RemoteProtocol[]>((input) =>
  words(input).map((word) => (['https', 'ssh', 'http', 'file'].includes(word) ? (word as RemoteProtocol) : fail('must be a list of https, ssh, http, file'))),
)
const networks = makeValidator<boolean | string[]>((input) => {
  if (['true', 'false', ''].includes(input)) return input === 'true'
  return words(input).map((word) => {
    if (isIP(word)) return `${word}/${isIP(word) === 4 ? 32 : 128}`
    return ipaddr.isValidCIDR(word) ? word : fail('must be true, false or a list of addresses and CIDR ranges')
  })
})

/** An existing file of the operator's, by its absolute path, which appears in a command line of ssh: nothing in it that ssh would expand. */
function fileOf(input: string): string {
  const file = resolve(input)
  if (/["%$\\\p{Cc}]/u.test(file)) fail('must be a path without quotes, %, $ and backslashes')
  try {
    accessSync(file, constants.R_OK)
    if (statSync(file).isFile()) return file
  } catch {
    // reported below
  }
  return fail('must be the path of a file that exists and can be read')
}
const optionalFile = makeValidator<string>((input) => (input === '' ? '' : fileOf(input)))
/** ssh refuses a private key of its own user that others may read. */
const privateKeyFile = makeValidator<string>((input) => {
  if (input === '') return ''
  const file = fileOf(input)
  const { uid, mode } = statSync(file)
  return uid === process.getuid?.() && (mode & 0o077) !== 0 ? fail('must be readable by its owner alone: chmod 600') : file
})

/** A protocol of remote repositories. */
type RemoteProtocol = 'https' | 'ssh' | 'http' | 'file'

interface Setting<T> {
  name: string
  default: string
  description: string
  validator: (spec: { default?: T; devDefault?: T }) => ValidatorSpec<T>
}

const setting = <T>(name: string, validator: unknown, fallback: string, description: string): Setting<T> => ({
  name: `BINDERY_${name}`,
  default: fallback,
  description,
  validator: validator as Setting<T>['validator'],
})

const settings = {
  host: setting<string>('HOST', text, '127.0.0.1', 'Address to listen on; `0.0.0.0` or `::` for all.'),
  port: setting<number>('PORT', integer(0, 65_535), '3000', 'Port to listen on; 0 takes a free one.'),
  dataDir: setting<string>('DATA_DIR', text, './data', 'Folder of documents, uploads and keys.'),
  reposDir: setting<string>('REPOS_DIR', text, './repos', 'Folder of the bare repositories.'),
  publicUrl: setting<string | null>(
    'PUBLIC_URL',
    optionalOrigin,
    '',
    'Origin under which clients reach the service, such as `https://docs.example.org`; empty = the address that it listens on.',
  ),
  trustProxy: setting<number>('TRUST_PROXY', integer(0, 10), '0', 'Number of proxies in front that are trusted to name the caller in `X-Forwarded-For`.'),
  adminEmail: setting<string | null>(
    'ADMIN_EMAIL',
    email,
    '',
    'At the first start, a user with this address is created, and a first organization of which they are the admin.',
  ),
  adminToken: setting<string | null>('ADMIN_TOKEN', secret, '', 'The token of that user, at least 20 characters; empty = one is created and shown once.'),
  logLevel: setting<LogLevel>('LOG_LEVEL', level, 'info', '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.'),
  bodyLimitBytes: setting<number>('BODY_LIMIT_BYTES', integer(1024, 1024 * MIB), String(10 * MIB), 'Largest JSON body, in bytes.'),
  answersLimitBytes: setting<number>(
    'ANSWERS_LIMIT_BYTES',
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
  blobLimitBytes: setting<number>('BLOB_LIMIT_BYTES', integer(1024, 4096 * MIB), String(100 * MIB), 'Largest file that an import may bring, in bytes.'),
  packLimitBytes: setting<number>('PACK_LIMIT_BYTES', integer(1024, 64 * 1024 * MIB), String(1024 * MIB), 'Most bytes that a fetch may bring.'),
  treeLimitEntries: setting<number>('TREE_LIMIT_ENTRIES', integer(1, 10_000_000), '100000', 'Most files in one revision.'),
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
    'Size of the index `facts.db` in the data folder, in bytes, from which its oldest rows are dropped. It can be made anew at any time.',
  ),
  ratePerToken: setting<number>('RATE_LIMIT_PER_MINUTE', integer(0, 10_000_000), '3000', 'Requests per minute and token; 0 = no limit.'),
  ratePerAddress: setting<number>('RATE_LIMIT_PER_MINUTE_ADDRESS', integer(0, 10_000_000), '6000', 'Requests per minute and address; 0 = no limit.'),
  signInRate: setting<number>('RATE_LIMIT_SIGN_INS', integer(0, 10_000_000), '20', 'Requests to sign in per minute and address; 0 = no limit.'),
  maxConnections: setting<number>('MAX_CONNECTIONS', integer(1, 1_000_000), '1000', 'Most open connections.'),
  maxConnectionsPerAddress: setting<number>(
    'MAX_CONNECTIONS_PER_ADDRESS',
    integer(1, 1_000_000),
    '250',
    'Most open connections of one address (of IPv6: one /64 network); not counted if `BINDERY_TRUST_PROXY` is set.',
  ),
  requestSeconds: setting<number>('REQUEST_SECONDS', integer(1, 86_400), '300', 'Longest time from the first byte of a request to its last.'),
  smtpUrl: setting<string | null>(
    'SMTP_URL',
    smtpUrl,
    '',
    'Mail server for invitations and sign-in links: `smtp://user:password@mail.example.org:587` (add `?requireTLS=true` to insist on STARTTLS) or `smtps://…`. Secret. Empty = no mail: links of invitations are in the responses, and nobody can sign in by mail.',
  ),
  mailFrom: setting<string | null>('MAIL_FROM', sender, '', 'Sender of the mails: `Docs <docs@example.org>`. Needed with `BINDERY_SMTP_URL`.'),
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
  remoteTimeoutSeconds: setting<number>('REMOTE_TIMEOUT_SECONDS', integer(1, 86_400), '600', 'Longest time for one fetch or push.'),
  eventDays: setting<number>('EVENT_DAYS', integer(1, 3_650), '30', 'Days that events and deliveries of webhooks are kept.'),
  auditDays: setting<number>(
    'AUDIT_LOG_DAYS',
    integer(1, 3_650),
    '90',
    'Days that entries of the audit log are kept, on disk: 1,000 of them take about half a megabyte.',
  ),
  corsOrigins: setting<string[]>('CORS_ORIGINS', origins, '*', 'Origins whose scripts may call the API, separated by commas; `*` = all, empty = none.'),
  metricsToken: setting<string | null>(
    'METRICS_TOKEN',
    secret,
    '',
    'Opens `/metrics` as a bearer token. Without it, only callers on this machine see it, and nobody if a proxy is in front (`BINDERY_PUBLIC_URL` or `BINDERY_TRUST_PROXY` is set).',
  ),
  checkAnswers: setting<boolean>(
    'CHECK_ANSWERS',
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

/** Reads the settings. Throws `ConfigError` with all that is wrong. */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const wrong: string[] = []
  const entries = Object.entries(settings as Record<string, Setting<unknown>>)
  const given = Object.fromEntries(entries.map(([, one]) => [one.name, env[one.name] ?? one.default]))
  const specs = Object.fromEntries(entries.map(([, one]) => [one.name, one.validator({})]))
  const clean = cleanEnv(given, specs, {
    reporter: ({ errors }) => {
      for (const [name, error] of Object.entries(errors)) wrong.push(`${name} ${error?.message ?? 'is invalid'}`)
    },
  }) as Record<string, unknown>
  const unknown = Object.keys(env).filter((name) => name.startsWith('BINDERY_') && !(name in given))
  wrong.push(...unknown.map((name) => `${name} is not a setting of this service`))
  if (clean.BINDERY_SMTP_URL && clean.BINDERY_MAIL_FROM === '') wrong.push('BINDERY_MAIL_FROM must be set if BINDERY_SMTP_URL is set')
  if (wrong.length > 0) throw new ConfigError(`The configuration is wrong:\n  ${wrong.join('\n  ')}`)
  return Object.freeze(Object.fromEntries(entries.map(([key, one]) => [key, clean[one.name] === '' ? null : clean[one.name]])) as Values)
}
