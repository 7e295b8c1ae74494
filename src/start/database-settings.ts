/** The settings of nodes: where what they share is kept, and the key that they share. */
import { databaseUrl, privateKeyFile, signingKey } from './setting-values.js'
import { setting } from './setting.js'

export const databaseSettings = {
  databaseUrl: setting<string | null>(
    'DATABASE_URL',
    databaseUrl,
    '',
    'PostgreSQL 15 or later for everything that several servers share: `postgresql://user:password@db.example.org/bindery` (add `?sslmode=verify-full` for an encrypted connection). Secret. Empty = it is in the data folder and the folder of repositories, and one server uses them.',
  ),
  signingKeyFile: setting<string | null>(
    'SIGNING_KEY_FILE',
    privateKeyFile,
    '',
    'File of the key that seals secrets and signs links: 64 hexadecimal digits. All nodes of a database need the same one. Empty = `signing-key` in the data folder, which is made at the first start.',
  ),
  signingKey: setting<string | null>(
    'SIGNING_KEY',
    signingKey,
    '',
    'That key itself, for systems that hand secrets over in the environment. Secret. Only one of the two may be set.',
  ),
} as const
