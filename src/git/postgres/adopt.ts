/** Replaces a repository in the database by another one, with all of its objects. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Database, Session } from '../../postgres/index.js'
import { listRefs } from '../lifecycle/plain.js'
import { importRepository, removeStored } from './list-repositories.js'

/** Name of the new repository until it takes the place of the other one. */
const arriving = (name: string): string => `arriving-${name}`

/**
 * Stores the repository at `path` under another name, and returns the part of a transaction that puts it in the place
 * of the repository `name`. The packs of the former repository are then deleted, except those that other repositories
 * share. Nodes notice another repository, and delete their copies of the former one.
 */
export async function adoptRepository(
  database: Database,
  name: string,
  path: string,
): Promise<(session: Session) => Promise<void>> {
  const other = arriving(name)
  await removeStored(database, other)
  const refs = (await listRefs(path)).map((line): [RefName, CommitId] => {
    const [to, ref] = line.split(' ') as [CommitId, RefName]
    return [ref, to]
  })
  await importRepository(database, { name: other, path, refs })
  return (session) => takePlace(session, name, other)
}

async function takePlace(session: Session, name: string, other: string): Promise<void> {
  const packs = await session.query<{ pack: string }>('SELECT pack FROM repository_packs WHERE name = $1', [name])
  await session.query('DELETE FROM repositories WHERE name = $1', [name])
  await session.query(
    'INSERT INTO repositories (name, incarnation, sequence, chain, epoch) SELECT $1, incarnation, sequence, chain, epoch FROM repositories WHERE name = $2',
    [name, other],
  )
  for (const table of ['repository_refs', 'repository_moves', 'repository_packs'])
    await session.query(`UPDATE ${table} SET name = $1 WHERE name = $2`, [name, other])
  await session.query('DELETE FROM repositories WHERE name = $1', [other])
  await session.query(
    'DELETE FROM packs WHERE id = ANY($1) AND NOT EXISTS (SELECT FROM repository_packs WHERE pack = packs.id)',
    [packs.map(({ pack }) => pack)],
  )
}
