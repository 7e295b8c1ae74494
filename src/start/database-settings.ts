/** The settings of nodes: the shared database and the shared key. */
import { databaseUrl, privateKeyFile, signingKey } from './setting-values.js'
import { setting } from './setting.js'

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
