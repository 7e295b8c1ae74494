/** The keys of the nodes of one database: it keeps their fingerprints, never the keys, and a node with another key is refused. */
import { createHash } from 'node:crypto'
import type { Database } from '../postgres/index.js'

/** `signing` seals secrets and signs links; `commit` signs commits. */
export type KeyName = 'signing' | 'commit'

/** What tells a key from another one, without telling anything about it: it is random, so it cannot be guessed from this. */
export const fingerprintOf = (name: KeyName, key: string | Buffer): string =>
  createHash('sha256').update(`bindery ${name} key\n`).update(key).digest('hex').slice(0, 32)

/** The fingerprint of the key that the nodes have; null if none has said yet. */
export async function fingerprintIn(database: Database, name: KeyName): Promise<string | null> {
  const [row] = await database.query<{ fingerprint: string }>(
    'SELECT fingerprint FROM key_fingerprints WHERE key = $1',
    [name],
  )
  return row?.fingerprint ?? null
}

/** Writes the fingerprint down if none is there, and returns the one that is there now. */
export async function claimFingerprint(database: Database, name: KeyName, fingerprint: string): Promise<string> {
  await database.query('INSERT INTO key_fingerprints (key, fingerprint) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    name,
    fingerprint,
  ])
  return (await fingerprintIn(database, name)) ?? fingerprint
}

/** Forgets the fingerprint of a key, so that the next node to start says which one it is. Returns whether there was one. */
export async function forgetFingerprint(database: Database, name: KeyName): Promise<boolean> {
  return (await database.query('DELETE FROM key_fingerprints WHERE key = $1 RETURNING key', [name])).length > 0
}
