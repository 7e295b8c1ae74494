/**
 * The keys of the nodes of one database. The database stores their fingerprints, never the keys. A node with another
 * key is rejected.
 */
import { createHash } from 'node:crypto'
import type { Database } from '../postgres/index.js'

/** `signing` seals secrets and signs links; `commit` signs commits. */
export type KeyName = 'signing' | 'commit'

/**
 * Returns a fingerprint that identifies a key without revealing it. Keys are random, so they cannot be guessed from it.
 */
export const fingerprintOf = (name: KeyName, key: string | Buffer): string =>
  createHash('sha256').update(`bindery ${name} key\n`).update(key).digest('hex').slice(0, 32)

/** Returns the fingerprint of the nodes' key; null if no node has recorded one yet. */
export async function fingerprintIn(database: Database, name: KeyName): Promise<string | null> {
  const [row] = await database.query<{ fingerprint: string }>(
    'SELECT fingerprint FROM key_fingerprints WHERE key = $1',
    [name],
  )
  return row?.fingerprint ?? null
}

/** Records the fingerprint if there is none, and returns the recorded one. */
export async function claimFingerprint(database: Database, name: KeyName, fingerprint: string): Promise<string> {
  await database.query('INSERT INTO key_fingerprints (key, fingerprint) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    name,
    fingerprint,
  ])
  return (await fingerprintIn(database, name)) ?? fingerprint
}

/**
 * Deletes the fingerprint of a key, so that the next node that starts records its own. Returns whether there was one.
 */
export async function forgetFingerprint(database: Database, name: KeyName): Promise<boolean> {
  return (await database.query('DELETE FROM key_fingerprints WHERE key = $1 RETURNING key', [name])).length > 0
}
