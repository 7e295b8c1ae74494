/** Opens the documents: in the data folder, or in PostgreSQL if there is a database. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.js'
import { makeDurableFolder } from '../disk/durable-folder.js'
import { makePrivate } from '../disk/private-files.js'
import { migrations } from '../domain/upkeep/migrations.js'
import type { Log } from '../kernel/log.js'
import { documentTables } from '../model/index.js'
import type { Node } from './open-node.js'
import { openPostgresStore, openStore, type SharedStore, type Store, type StoreEvent } from '../store/index.js'

/** The documents; those of a node are in its database. Names, addresses and hashes of tokens are for the owner alone, also in files that were there before. */
export async function openDocuments(
  config: Pick<Config, 'dataDir'>,
  log: Log,
  node: Pick<Node, 'database' | 'news'> | null,
): Promise<Store> {
  const dataDir = resolve(config.dataDir)
  const dir = join(dataDir, 'store')
  const tell = ({ event, ...fields }: StoreEvent): void => log.info(fields, `store: ${event}`)
  await makeDurableFolder(node === null ? dir : dataDir)
  makePrivate(dataDir, { deep: false })
  if (node !== null) {
    if (existsSync(dir))
      log.warn({}, `The documents are in the database of BINDERY_DATABASE_URL; those in ${dir} are not read.`)
    return openPostgresStore({
      database: node.database,
      news: node.news,
      tables: documentTables,
      migrations,
      log: tell,
    })
  }
  makePrivate(dir, { deep: true })
  return openStore({ dir, tables: documentTables, migrations, log: tell })
}

/** How long a check of the database may take, in milliseconds. */
const ASK_MS = 2_000

/** What keeps the documents from being read: nothing, or the database. */
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
