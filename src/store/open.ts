/** Opens the store: takes its lock, recovers what a crash left, runs migrations, and builds the indexes. */
import { resolve } from 'node:path'
import { Checkpointer } from './checkpointer.js'
import { Database } from './database.js'
import { ensureDir, nodeFileSystem } from './file-system.js'
import { Log } from './log.js'
import { layout } from './manifest.js'
import { migrate } from './migrate.js'
import { recover } from './recovery.js'
import { EmbeddedStore } from './store.js'
import type { Store, StoreOptions } from './types.js'

/** A checkpoint writes a file for each space that changed, so it should not come too often; records of journals stay in memory until the next one. */
const CHECKPOINT_AFTER_BYTES = 8 * 1024 * 1024

/**
 * Opens the store in a folder, or creates one. Throws `StoreLocked` if another process has it open, `StoreDamaged` if a file is
 * damaged, `StoreTooNew` if a newer release wrote it, `DuplicateKey` if stored documents violate a unique index of `tables`.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const {
    tables = [],
    migrations = [],
    checkpointAfterBytes = CHECKPOINT_AFTER_BYTES,
    fs = nodeFileSystem,
    log: tell = () => undefined,
  } = options
  const started = performance.now()
  const dir = resolve(options.dir)
  await ensureDir(fs, dir)
  const lock = fs.lock(dir, layout(dir).lock)
  let log: Log | undefined
  try {
    const found = await recover(fs, dir, tell)
    log = await Log.open(fs, layout(dir).log, found.segment, found.lastSeq + 1)
    const database = new Database(found.lastSeq, found.journals)
    const checkpointer = new Checkpointer(fs, dir, database, log)
    for (const [table, owner] of found.dirty) checkpointer.touch(table, owner)
    const isNew = found.documents.size === 0
    const migrated = await migrate(
      { database, log, documents: found.documents, tables, dir },
      found.migrated,
      migrations,
      ({ version, name }, ops) => {
        for (const { c, o } of ops) checkpointer.touch(c, o)
        if (!isNew) tell({ event: 'migrated', version, name })
      },
    )
    for (const [name, documents] of found.documents) database.load(name, documents)
    for (const definition of tables) database.hold(definition)
    const { checkpoints, replayed } = found
    tell({
      event: 'opened',
      documents: database.size,
      checkpoints,
      replayed,
      milliseconds: performance.now() - started,
    })
    return new EmbeddedStore({ database, log, checkpointer, lock, migrated, checkpointAfterBytes, tell })
  } catch (thrown) {
    await log?.close().catch(() => undefined)
    lock.release()
    throw thrown
  }
}
