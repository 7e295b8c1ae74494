/** The setting that chooses where documents are kept. */
import { databaseUrl } from './setting-values.js'
import { setting } from './setting.js'

export const databaseSettings = {
  databaseUrl: setting<string | null>(
    'DATABASE_URL',
    databaseUrl,
    '',
    'PostgreSQL 15 or later for the documents: `postgresql://user:password@db.example.org/bindery` (add `?sslmode=verify-full` for an encrypted connection). Secret. Empty = they are in the folder `store` of the data folder. Several servers may run on one.',
  ),
}
