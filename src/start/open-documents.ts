/** Opens the documents: in the data folder, or in PostgreSQL if there is a database. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.js'
import { makeDurableFolder } from '../disk/durable-folder.js'
import { makePrivate } from '../disk/private-files.js'
import { migrations } from '../domain/upkeep/migrations.js'
import type { Log } from '../kernel/log.js'
import { asError } from '../kernel/thrown.js'
import { documentTables } from '../model/index.js'
import type { Node } from './open-node.js'
import {
  openPostgresStore,
  openStore,
  type SharedStore,
  type Store,
  type StoreEvent,
  type StoreOptions,
} from '../store/index.js'

/**
 * Opens the documents; nodes keep them in their database. Only the owner may read names, addresses and token hashes, so
 * existing files are made private, too.
 */
export async function openDocuments(
  config: Pick<Config, 'dataDir'>,
  log: Log,
  node: Pick<Node, 'database' | 'news'> | null,
  options: Pick<StoreOptions, 'repair' | 'maxKeptLogBytes'> = {},
): Promise<Store> {
  const dataDir = resolve(config.dataDir)
  const dir = join(dataDir, 'store')
  const tell = (event: StoreEvent): void => tellOperator(log, event)
  await makeDurableFolder(node === null ? dir : dataDir)
  makePrivate(dataDir, { deep: false })
  if (node !== null) {
    if (existsSync(dir))
      log.warn({}, `The documents are in the database of BINDERY_DATABASE_URL. Those in ${dir} are ignored.`)
    return openPostgresStore({
      database: node.database,
      news: node.news,
      tables: documentTables,
      migrations,
      log: tell,
    })
  }
  makePrivate(dir, { deep: true })
  return openStore({ dir, tables: documentTables, migrations, log: tell, ...options })
}

function tellOperator(log: Log, { event, ...fields }: StoreEvent): void {
  if (event === 'damaged' && 'error' in fields)
    log.error(fields, `A part of the documents is out of service. ${asError(fields.error).message}`)
  else if (event === 'bit-corrected' || event === 'tail-cut') log.warn(fields, `store: ${event}`)
  else log.info(fields, `store: ${event}`)
}

/** Maximum duration of a database check, in milliseconds. */
const ASK_MS = 2_000

/** Returns the missing dependency of the documents: the database, or nothing. */
export async function missingDocuments(store: Store): Promise<string[]> {
  if (!isShared(store)) return []
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((done) => {
    timer = setTimeout(done, ASK_MS, false)
  })
  const answered = await Promise.race([
    late,
    store.ask().then(
      () => true,
      () => false,
    ),
  ])
  clearTimeout(timer)
  return answered ? [] : ['database']
}

export const isShared = (store: Store): store is SharedStore => 'ask' in store
