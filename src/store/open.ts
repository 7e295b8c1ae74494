/** Opens the store: takes its lock, recovers from a crash, runs migrations, and builds the indexes. */
import { resolve } from 'node:path'
import { Checkpointer } from './checkpointer.js'
import { Damages } from './damages.js'
import { Database } from './database.js'
import { ensureDir, nodeFileSystem } from './file-system.js'
import { Log } from './log.js'
import { layout } from './manifest.js'
import { migrate } from './migrate.js'
import { recover } from './recovery.js'
import { EmbeddedStore } from './store.js'
import type { Store, StoreEvent, StoreOptions } from './types.js'

/**
 * Log size at which checkpoints are written, in bytes. A checkpoint writes a file for each changed space, so it should
 * not run too often. Records of journals stay in memory until the next one.
 */
const CHECKPOINT_AFTER_BYTES = 8 * 1024 * 1024

/**
 * Log size at which changes are rejected while a damaged file prevents checkpoints, in bytes. Each start reads the log
 * into memory.
 */
export const MAX_KEPT_LOG_BYTES = 256 * 1024 * 1024

/**
 * Opens the store in a folder, or creates one. Throws `StoreLocked` if another process has it open, `StoreDamaged` if the
 * log or the manifest is damaged (the damage of other files concerns only their table), `StoreTooNew` if a newer release wrote it, `DuplicateKey` if stored documents violate a unique index
 * of `tables`.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const {
    tables = [],
    migrations = [],
    repair = false,
    checkpointAfterBytes = CHECKPOINT_AFTER_BYTES,
    maxKeptLogBytes = MAX_KEPT_LOG_BYTES,
    fs = nodeFileSystem,
    log: given = () => undefined,
  } = options
  const repaired: string[] = []
  const tell = (event: StoreEvent): void => {
    if (event.event === 'repaired') repaired.push(lineOf(event))
    given(event)
  }
  const started = performance.now()
  const dir = resolve(options.dir)
  await ensureDir(fs, dir)
  const lock = fs.lock(dir, layout(dir).lock)
  let log: Log | undefined
  try {
    const damages = new Damages()
    const found = await recover(fs, dir, tell, { damages, repair })
    // A migration would see a part of the documents.
    if (damages.first !== null && found.migrated < migrations.length) throw damages.first
    log = await Log.open(fs, layout(dir).log, found.segment, found.lastSeq + 1)
    const database = new Database(found.lastSeq, found.journals, damages)
    const checkpointer = new Checkpointer(fs, dir, database, log)
    if (found.corrected) checkpointer.renew()
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
    for (const definition of tables) database.tableFor(definition)
    const { checkpoints, replayed } = found
    tell({
      event: 'opened',
      documents: database.size,
      checkpoints,
      replayed,
      milliseconds: performance.now() - started,
    })
    const limits = { checkpointAfterBytes, maxKeptLogBytes, olderBytes: (await log.bytes()) - log.length }
    const parts = { database, log, checkpointer, lock, migrated, ...limits, tell }
    return new EmbeddedStore({ ...parts, renews: found.corrected, repaired })
  } catch (thrown) {
    await log?.close().catch(() => undefined)
    lock.release()
    throw thrown
  }
}

function lineOf({ file, documents, records, kept, what }: Extract<StoreEvent, { event: 'repaired' }>): string {
  const thing = records === undefined ? 'document' : 'record'
  const rest =
    kept === null
      ? `Its ${thing}s are lost.`
      : records === undefined
        ? `The damaged file is now ${kept}.`
        : `A copy of the damaged file is ${kept}. Compare it, because readable records may have changed characters.`
  const of = records === undefined ? '' : ` of ${records}`
  const read = documents === 1 && of === '' ? `1 ${thing} was readable` : `${documents}${of} ${thing}s were readable`
  return `${file} was damaged (${what}). ${read}. ${rest}`
}
