/** Moves an installation in a database into folders. */
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../../config.js'
import { makeDurableFolder, syncFolder } from '../../disk/durable-folder.js'
import { takeLock } from '../../disk/folder-lock.js'
import { keepSecret } from '../../disk/secret-file.js'
import { fingerprintIn, fingerprintOf, type Mark } from '../../shared-files/index.js'
import { fsck } from '../../git/index.js'
import { documentTables } from '../../model/index.js'
import type { Database } from '../../postgres/index.js'
import { writeEmbeddedStore } from '../../store/index.js'
import { findSigningKey } from '../../start/keys.js'
import { folderMark, markFile } from '../../start/migration.js'
import { OperatorError } from '../maintenance.js'
import {
  type Folders,
  type Installation,
  openFolders,
  openFor,
  openNodes,
  SHELVES,
  type Report,
  describeDatabase,
} from './installation.js'
import { compareAll } from './report.js'
import { becomeOwnRepositories, moveIntoFolder } from './repositories.js'

/** Messages of `git fsck` about objects that are missing or unreadable, not about questionable content of commits. */
const DAMAGE = /: (missing|broken link|fatal|dangling ref)|corrupt|hash mismatch|invalid sha1 pointer/

/**
 * Moves everything into `data` and `repos` of a folder. After an interruption, the same call continues. Throws
 * `OperatorError` like `migrateToDatabase`.
 */
export async function migrateToFolder(config: Config, folder: string, tell: Report): Promise<void> {
  const url = config.databaseUrl
  if (url === null)
    throw new OperatorError('Set BINDERY_DATABASE_URL to the database that you are migrating into the folder.')
  const [dataDir, reposDir] = [join(resolve(folder), 'data'), join(resolve(folder), 'repos')]
  const database = openFor(url)
  try {
    const source = await openNodes(database, describeDatabase(url))
    tell(`From ${source.description} to the folders ${dataDir} and ${reposDir}.`)
    const key = await keyOf(config, database)
    if (await begin(folder, dataDir, fingerprintOf('signing', key))) {
      await move({ source, database, key }, { dataDir, reposDir }, tell)
      await writeMark(dataDir, { source: fingerprintOf('signing', key), state: 'done' })
      tell(
        `Done. The source was not changed; keep it until you trust the target. Start the server with BINDERY_DATA_DIR=${dataDir} BINDERY_REPOS_DIR=${reposDir}, and without BINDERY_DATABASE_URL.`,
      )
    } else tell('This migration has already ended: everything is in the folder. Nothing was done.')
    becomeOwnRepositories(reposDir, await source.repositories())
  } finally {
    await database.close()
  }
}

interface From {
  source: Installation
  database: Database
  key: Buffer
}

async function move({ source, database, key }: From, { dataDir, reposDir }: Folders, tell: Report): Promise<void> {
  const lock = takeLock(dataDir, join(dataDir, 'migration-lock'))
  try {
    tell('Documents and journals …')
    await writeDocuments(source, dataDir)
    await moveIntoFolder(source, reposDir, { database, tell })
    for (const shelf of SHELVES) await writeFiles(source, shelf, join(dataDir, shelf))
    tell('Files are complete.')
    await keepSecret(join(dataDir, 'signing-key'), () => key.toString('hex'), { replace: true })
    tell('Comparing …')
    await compare(source, { dataDir, reposDir }, tell)
  } finally {
    lock.release()
  }
}

async function keyOf(config: Config, database: Database): Promise<Buffer> {
  const key = await findSigningKey(config)
  const known = await fingerprintIn(database, 'signing')
  if (key !== null && (known === null || known === fingerprintOf('signing', key))) return key
  throw new OperatorError(
    `${key === null ? 'There is no signing key' : 'The signing key is a different one'}: set BINDERY_SIGNING_KEY_FILE to that of the nodes${known === null ? '' : ` (fingerprint ${known})`}. The server in the folder will need it.`,
  )
}

/**
 * Records that a migration starts or continues; false if it has already ended. Throws `OperatorError` if the target has
 * other content.
 */
async function begin(folder: string, dataDir: string, source: string): Promise<boolean> {
  const mark = folderMark(dataDir)
  if (mark && mark.source !== source)
    throw new OperatorError(
      `${folder} is the target of another installation's migration. Use a folder that is empty or does not exist.`,
    )
  if (mark?.state === 'done') return false
  if (mark === null) {
    const rest = existsSync(folder) ? (await readdir(folder)).filter((name) => name !== 'data') : []
    const data = existsSync(dataDir) ? (await readdir(dataDir)).filter((name) => !name.startsWith('migration')) : []
    if (rest.length > 0 || data.length > 0)
      throw new OperatorError(
        `${folder} is not empty. Use a folder that is empty or does not exist. Existing files are never overwritten.`,
      )
    await makeDurableFolder(resolve(dataDir))
    await writeMark(dataDir, { source, state: 'running' })
  }
  return true
}

async function writeMark(dataDir: string, mark: Mark): Promise<void> {
  const file = markFile(dataDir)
  await writeFile(`${file}.new`, `${JSON.stringify(mark)}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  await syncFolder(dataDir)
}

/** Writes the documents next to their final location, and moves them there when they are complete. */
async function writeDocuments(source: Installation, dataDir: string): Promise<void> {
  const [arriving, place] = [join(dataDir, 'store-arriving'), join(dataDir, 'store')]
  await rm(arriving, { recursive: true, force: true })
  await writeEmbeddedStore(arriving, source.documents, documentTables)
  await rm(place, { recursive: true, force: true })
  await rename(arriving, place)
  await syncFolder(dataDir)
}

async function writeFiles(source: Installation, shelf: (typeof SHELVES)[number], dir: string): Promise<void> {
  // Files from before an interruption are written again: they are few compared with the repositories, and this
  // guarantees their content.
  await rm(dir, { recursive: true, force: true })
  await makeDurableFolder(dir)
  for await (const { name, read } of source.files(shelf)) {
    const path = join(dir, name.slice(0, 2), name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const part of read()) await file.writeFile(part)
      await file.sync()
    } finally {
      await file.close()
    }
  }
  for (const name of await readdir(dir)) await syncFolder(join(dir, name))
  await syncFolder(dir)
}

async function compare(source: Installation, folders: Folders, tell: Report): Promise<void> {
  const target = await openFolders(folders)
  try {
    await compareAll(source, target, tell)
    const complaints: string[] = []
    for (const name of await target.repositories())
      for (const line of await fsck(join(folders.reposDir, `${name}.git`)))
        complaints.push(`repository ${name}: ${line}`)
    const damage = complaints.filter((line) => DAMAGE.test(line))
    if (damage.length > 0) throw new OperatorError(`Repositories are incomplete:\n  ${damage.join('\n  ')}`)
    const others =
      complaints.length === 0 ? '' : ` except these, which the database already had:\n  ${complaints.join('\n  ')}`
    tell(`\`git fsck --strict\` reports no problems in the repositories${others || '.'}`)
  } finally {
    await target.close()
  }
}
