/** Lists the repositories of the database and their refs, for those who move or compare all of them. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type Database, migrate } from '../../postgres/index.js'
import { readRefs } from './head.js'
import { ROOM, steps } from './schema.js'

/** Makes the tables of repositories, or brings them to the form of this release. */
export const prepareRepositories = (database: Database): Promise<number> => migrate(database, ROOM, steps)

/** The names of all repositories, sorted. */
export async function storedRepositories(database: Database): Promise<string[]> {
  return (await database.query<{ name: string }>('SELECT name FROM repositories')).map(({ name }) => name).sort()
}

/** The refs of a repository; none if it does not exist. */
export async function storedRefs(database: Database, name: string): Promise<[RefName, CommitId][]> {
  return (await readRefs(database, name))?.refs ?? []
}
