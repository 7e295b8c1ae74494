/**
 * The repositories in the database, for commands that migrate or compare all of them: lists, imports and removes them.
 */
import { tmpdir } from 'node:os'
import { type CommitId, newId, type RefName } from '../../kernel/ids.js'
import { type Database, migrate } from '../../postgres/index.js'
import { Launcher } from '../process/launcher.js'
import { firstChain, readRefs } from './head.js'
import { packByGit } from './new-pack.js'
import { publish } from './publish.js'
import { ROOM, steps } from './schema.js'

/** Creates or migrates the tables of the repositories. */
export const prepareRepositories = (database: Database): Promise<number> => migrate(database, ROOM, steps)

/** Returns the names of all repositories, sorted. */
export async function storedRepositories(database: Database): Promise<string[]> {
  return (await database.query<{ name: string }>('SELECT name FROM repositories')).map(({ name }) => name).sort()
}

/** Returns the refs of a repository; none if it does not exist. */
export async function storedRefs(database: Database, name: string): Promise<[RefName, CommitId][]> {
  return (await readRefs(database, name))?.refs ?? []
}

/** Removes a repository from the database, if it exists. */
export async function removeStored(database: Database, name: string): Promise<void> {
  await database.query('DELETE FROM repositories WHERE name = $1', [name])
}

/**
 * Imports a repository from the disk into the database, which must not contain its name: one pack with all objects that
 * the refs need, and the refs. Does not change the repository on the disk. Throws `GitError` if an object is missing.
 * @param path the bare repository
 * @param refs each with the object that it names, which need not be a commit
 */
export async function importRepository(
  database: Database,
  { name, path, refs }: { name: string; path: string; refs: readonly (readonly [RefName, CommitId])[] },
): Promise<void> {
  const launcher = await Launcher.open()
  try {
    const tips = [...new Set(refs.map(([, to]) => to))]
    const pack = tips.length === 0 ? null : await packByGit({ path, launcher, outside: tmpdir() }, tips, [])
    try {
      const incarnation = newId()
      await database.query('INSERT INTO repositories VALUES ($1, $2, 0, $3, 0)', [
        name,
        incarnation,
        firstChain(incarnation),
      ])
      const moves = refs.map(([ref, to]) => ({ ref, from: null, to }))
      if (moves.length > 0)
        await publish(database, {
          name,
          moves,
          reason: 'migrated',
          pack,
          known: { incarnation, epoch: 0 },
          fence: null,
        })
    } finally {
      await pack?.remove()
    }
  } finally {
    await launcher.close()
  }
}
