/** Moves an installation in folders into a database. */
import type { Config } from '../../config.js'
import { documentTables } from '../../model/index.js'
import {
  beginMigration,
  claimFingerprint,
  endMigration,
  FileRows,
  fingerprintOf,
  markOf,
  prepareFiles,
} from '../../shared-files/index.js'
import { prepareRepositories, storedRepositories } from '../../git/index.js'
import type { Database } from '../../postgres/index.js'
import { prepareDocuments, writePostgresStore } from '../../store/index.js'
import { findSigningKey } from '../../start/keys.js'
import { OperatorError } from '../maintenance.js'
import {
  type Installation,
  openFolders,
  openFor,
  openNodes,
  SHELVES,
  type Report,
  describeDatabase,
} from './installation.js'
import { compareAll } from './report.js'
import { checkStored, moveIntoDatabase } from './repositories.js'

/**
 * Moves everything. After an interruption, the same call continues. Throws `OperatorError` if the target is not empty,
 * or if source and target differ at the end.
 */
export async function migrateToDatabase(config: Config, url: string, tell: Report): Promise<void> {
  const key = await findSigningKey(config)
  if (key === null)
    throw new OperatorError(
      `There is no signing key in ${config.dataDir}. Set BINDERY_DATA_DIR to the data folder that you are migrating.`,
    )
  const fingerprint = fingerprintOf('signing', key)
  const source = await openFolders(config)
  const database = openFor(url)
  try {
    tell(`From ${source.description} to ${describeDatabase(url)}.`)
    if (!(await begin(database, fingerprint, tell))) return
    await claimFingerprint(database, 'signing', fingerprint)
    tell('Documents and journals …')
    await writePostgresStore(database, source.documents, documentTables)
    const target = await openNodes(database, describeDatabase(url))
    try {
      await moveIntoDatabase(source, config.reposDir, { database, target, tell })
      await moveFiles(source, target, { database, tell })
      tell('Comparing …')
      await compareAll(source, target, tell)
      const complaints = await checkStored(database, await source.repositories(), { reposDir: config.reposDir, tell })
      if (complaints.length > 0)
        throw new OperatorError(
          `git fsck reports problems in the target that the source does not have:\n  ${complaints.join('\n  ')}`,
        )
      tell(
        '`git fsck --strict` reports no problems in the repositories, read from the database, that the source does not have.',
      )
    } finally {
      await target.close()
    }
    await endMigration(database)
    tell(
      `Done. The source was not changed; keep it until you trust the target. Start each node with BINDERY_DATABASE_URL, its own folders in BINDERY_DATA_DIR and BINDERY_REPOS_DIR, and BINDERY_SIGNING_KEY_FILE with a copy of ${config.signingKeyFile ?? `${config.dataDir}/signing-key`}.`,
    )
  } finally {
    await database.close()
    await source.close()
  }
}

/**
 * Records that a migration starts or continues; false if it has already ended. Throws `OperatorError` if the target has
 * other content.
 */
async function begin(database: Database, source: string, tell: Report): Promise<boolean> {
  await prepareFiles(database)
  await prepareRepositories(database)
  const documents = await prepareDocuments(database)
  let mark = await markOf(database)
  if (mark === null) {
    if (documents > 0 || (await storedRepositories(database)).length > 0)
      throw new OperatorError(
        'The target is not empty: a server has used this database. Use an empty database. Existing data is never overwritten.',
      )
    mark = await beginMigration(database, source)
  } else if (mark.source === source && mark.state === 'running') tell('Continuing an interrupted migration.')
  if (mark.source !== source)
    throw new OperatorError("The database is the target of another installation's migration. Use an empty database.")
  if (mark.state === 'done') tell('This migration has already ended: everything is in the database. Nothing was done.')
  return mark.state === 'running'
}

async function moveFiles(
  source: Installation,
  target: Installation,
  { database, tell }: { database: Database; tell: Report },
): Promise<void> {
  for (const shelf of SHELVES) {
    const rows = new FileRows(database, shelf)
    // bound: the files of the installation, by name
    const gone = new Set<string>()
    for await (const { name } of target.files(shelf)) gone.add(name)
    for await (const { name, size, read } of source.files(shelf)) {
      gone.delete(name)
      await rows.put(name, { bytes: read(), size, hash: name }).catch((error: Error) => {
        if (error.name !== 'WrongBytes') throw error
        throw new OperatorError(
          `${error.message}. ${shelf === 'lfs' ? 'Delete it: the server fetches it again.' : '`scripts/fsck --deep` reports which files can be rebuilt.'} Then run the same command again.`,
        )
      })
    }
    for (const name of gone) await rows.remove(name)
    tell(`Files of ${shelf === 'lfs' ? 'Git LFS' : 'specifications'} are complete.`)
  }
}
