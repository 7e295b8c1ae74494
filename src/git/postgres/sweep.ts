/** Deletes unused packs from the database, and finds copies on this node whose repository is gone. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../postgres/index.js'
import { NAME } from '../lifecycle/paths.js'
import { readState } from './node-state.js'

/**
 * How long a replaced pack can still be read, and how long a new pack may exist without a repository while it is
 * written.
 */
const GRACE = "interval '1 hour'"
const AT_ONCE = 100

/** Deletes unused packs. Returns the names of copies whose repository is not in the database. Throws `DatabaseAway`. */
export async function sweep(database: Database, reposDir: string): Promise<string[]> {
  await database.query(`DELETE FROM repository_packs WHERE retired < now() - ${GRACE}`)
  const unused = await database.query<{ id: string }>(
    `SELECT id FROM packs WHERE made < now() - ${GRACE} AND NOT EXISTS (SELECT FROM repository_packs WHERE pack = id) LIMIT ${AT_ONCE}`,
  )
  // Delete packs one by one, since each may have thousands of rows.
  for (const { id } of unused)
    await database.query(
      'DELETE FROM packs WHERE id = $1 AND NOT EXISTS (SELECT FROM repository_packs WHERE pack = $1)',
      [id],
    )
  return removedCopies(database, reposDir)
}

async function removedCopies(database: Database, reposDir: string): Promise<string[]> {
  const names = (await readdir(reposDir))
    .filter((name) => name.endsWith('.git'))
    .map((name) => name.slice(0, -'.git'.length))
  const copies = names.filter((name) => NAME.test(name) && readState(join(reposDir, `${name}.git`)))
  const rows = await database.query<{ name: string }>('SELECT name FROM repositories WHERE name = ANY($1)', [copies])
  const there = new Set(rows.map(({ name }) => name))
  return copies.filter((name) => !there.has(name))
}
