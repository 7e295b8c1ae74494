/** The settings of the server: address, folders, first admin, log, database, keys, sign-in and mail. */
import type { LogSetting } from '../kernel/log.js'
import {
  email,
  flag,
  folder,
  integer,
  level,
  optionalFile,
  optionalOrigin,
  origins,
  optionalSitesOrigin,
  secret,
  sender,
  smtpUrl,
  text,
  databaseUrl,
  privateKeyFile,
  signingKey,
  httpUrl,
  key,
} from './setting-values.js'
import { setting } from './setting.js'

export const serverSettings = {
  host: setting<string>('HOST', text, '127.0.0.1', 'Address to listen on; `0.0.0.0` or `::` for all addresses.'),
  port: setting<number>('PORT', integer(0, 65_535), '3000', 'Port to listen on; 0 = any free port.'),
  publicUrl: setting<string | null>(
    'PUBLIC_URL',
    optionalOrigin,
    '',
    'Origin under which clients reach the service, such as `https://docs.example.org`; empty = the listen address.',
  ),
  sitesPort: setting<number>(
    'SITES_PORT',
    integer(0, 65_535),
    '3001',
    'Port on which readers reach the published sites; 0 = any free port. Sites never share the origin of the API.',
  ),
  sitesOrigin: setting<string | null>(
    'SITES_ORIGIN',
    optionalSitesOrigin,
    '',
    'Origin of the published sites: `https://docs.example.org` (sites are at `/<organization>/<site>/`), or `https://*.docs.example.org` ' +
      '(one host name per organization, sites at `/<site>/`); empty = the address of the sites port.',
  ),
  trustProxy: setting<number>(
    'TRUST_PROXY',
    integer(0, 10),
    '0',
    'Number of trusted proxies in front of the server that set `X-Forwarded-For`.',
  ),
  dataDir: setting<string>('DATA_DIR', text, './data', 'Folder of documents, uploads and keys.'),
  reposDir: setting<string>('REPOS_DIR', text, './repos', 'Folder of the bare repositories.'),
  templatesDir: setting<string | null>(
    'TEMPLATES_DIR',
    folder,
    '',
    'Folder with your own templates, one subfolder each, in addition to the included ones.',
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
  sampleSite: setting<boolean>(
    'SAMPLE_SITE',
    flag,
    'true',
    'The first start creates and publishes a sample site that explains Bindery. Delete its space and its site when you no longer need them.',
  ),
  logLevel: setting<LogSetting>(
    'LOG_LEVEL',
    level,
    'auto',
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`; `auto` is `warn` on a terminal, and `info` otherwise.',
  ),
  corsOrigins: setting<string[]>(
    'CORS_ORIGINS',
    origins,
    '*',
    'Origins whose scripts may call the API, separated by commas; `*` = all, empty = none. MCP servers of sites accept only origins that are named.',
  ),
  metricsToken: setting<string | null>(
    'METRICS_TOKEN',
    secret,
    '',
    'Bearer token that opens `/metrics`. Without it, only callers on this machine can read it, and no one if there is a proxy in front ' +
      '(`BINDERY_PUBLIC_URL` or `BINDERY_TRUST_PROXY` is set).',
  ),
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
  chromium: setting<string | null>(
    'CHROMIUM',
    optionalFile,
    '',
    "Path of the Chromium that prints PDFs; empty = the system's Chromium (package `chromium-headless-shell` or `chromium`), else the one in the package " +
      '`@sparticuz/chromium`.',
  ),
  checkResponses: setting<boolean>(
    'CHECK_RESPONSES',
    flag,
    'false',
    'Checks every response against its schema, for development. A response that does not match becomes a 500.',
  ),
} as const

export const signInSettings = {
  smtpUrl: setting<string | null>(
    'SMTP_URL',
    smtpUrl,
    '',
    'Mail server for invitations and sign-in links: `smtp://user:password@mail.example.org:587` (add `?requireTLS=true` to require STARTTLS) or ' +
      '`smtps://…`. Secret. Empty = no email: invitation links are in the responses, and no one can sign in by email.',
  ),
  mailFrom: setting<string | null>(
    'MAIL_FROM',
    sender,
    '',
    'Sender of the emails: `Docs <docs@example.org>`. Required with `BINDERY_SMTP_URL`.',
  ),
  ssoSessionHours: setting<number>(
    'SSO_SESSION_HOURS',
    integer(1, 720),
    '12',
    'Maximum validity of a token from a single sign-on, in hours. A user who is removed at the identity provider loses access after that.',
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
} as const

/** The name of the first setting is the one that OpenTelemetry gives it for all services. */
export const traceSettings = {
  tracesUrl: {
    ...setting<string | null>(
      '',
      httpUrl,
      '',
      'URL of the OpenTelemetry collector that receives traces by OTLP over HTTP, such as `http://127.0.0.1:4318`; empty = no ' +
        'traces. The other variables of the exporter apply too: `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`.',
    ),
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  tracesPercent: setting<number>(
    'TRACES_PERCENT',
    integer(0, 100),
    '100',
    'Percentage of requests and jobs that are traced. A caller that sends a `traceparent` header decides for its own request.',
  ),
}

export const databaseSettings = {
  databaseUrl: setting<string | null>(
    'DATABASE_URL',
    databaseUrl,
    '',
    'PostgreSQL 15 or later, for the data that several servers share: `postgresql://user:password@db.example.org/bindery` (add `?sslmode=verify-full` for ' +
      'an encrypted connection). Secret. Empty = a single server keeps its data in the data folder and the repository folder.',
  ),
  signingKeyFile: setting<string | null>(
    'SIGNING_KEY_FILE',
    privateKeyFile,
    '',
    'File of the key that seals secrets and signs links: 64 hexadecimal digits. All nodes of a database need the same key. Empty = `signing-key` in the ' +
      'data folder, which the first start generates.',
  ),
  signingKey: setting<string | null>(
    'SIGNING_KEY',
    signingKey,
    '',
    'The key itself, for systems that pass secrets in the environment. Secret. Set only one of the two.',
  ),
} as const

export const backupSettings = {
  backupStoreEndpoint: setting<string | null>(
    'BACKUP_STORE_ENDPOINT',
    httpUrl,
    '',
    'URL of the S3-compatible store for `bindery backup s3://…`, such as `https://minio.example.org`; empty = Amazon S3.',
  ),
  backupStoreRegion: setting<string>('BACKUP_STORE_REGION', text, 'us-east-1', 'Region of the bucket.'),
  backupStoreAccessKey: setting<string | null>('BACKUP_STORE_ACCESS_KEY', key, '', 'Access key of the store.'),
  backupStoreSecretKey: setting<string | null>('BACKUP_STORE_SECRET_KEY', key, '', 'Secret key of the store. Secret.'),
} as const
