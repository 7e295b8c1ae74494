/** Writes changed documents into checkpoint files, so that older segments of the log can be deleted. */
import { Low } from 'lowdb'
import { dirname } from 'node:path'
import { type Checkpoint, checkpointFile } from './checkpoint-file.js'
import type { Database } from './database.js'
import { ensureDir } from './file-system.js'
import type { Log } from './log.js'
import { isJournal } from './journal/journals.js'
import { FORMAT, layout, type Manifest, writeManifest } from './manifest.js'
import { pathOf } from './read-checkpoints.js'
import type { FileSystem } from './types.js'

const WRITE_AT_ONCE = 8

/** Tracks the checkpoint files that are out of date, and writes them. */
export class Checkpointer {
  readonly #fs: FileSystem
  readonly #dir: string
  readonly #database: Database
  readonly #log: Log
  /** Owners by table. */
  // bound: checkpoint files
  #dirty = new Map<string, Set<string>>()

  constructor(fs: FileSystem, dir: string, database: Database, log: Log) {
    this.#fs = fs
    this.#dir = dir
    this.#database = database
    this.#log = log
  }

  /** Marks an owner's file as out of date. */
  touch(table: string, owner: string): void {
    const owners = this.#dirty.get(table)
    if (owners) owners.add(owner)
    else this.#dirty.set(table, new Set([owner]))
  }

  /** Makes the next checkpoint replace the manifest and the log, even if no document has changed. */
  renew(): void {
    this.#mustRenew = true
  }
  #mustRenew = false

  get isClean(): boolean {
    return this.#dirty.size === 0 && !this.#mustRenew
  }

  /**
   * Writes all files that are out of date, then deletes the log before the current segment, which must be new. An
   * interruption may leave files that are newer than the manifest. That is harmless, since each file records its last
   * transaction. Returns the number of files. If it throws, the log is kept, and the files are written again next time.
   */
  async run(migrated: number): Promise<number> {
    const manifest: Manifest = {
      format: FORMAT,
      migrated,
      logFrom: this.#database.seq + 1,
      owners: this.#database.ownerCounts(),
    }
    const pending = this.#dirty
    this.#dirty = new Map()
    try {
      const written = await this.#writeAll(pending)
      await writeManifest(this.#fs, this.#dir, manifest)
      await this.#tidy(pending)
      await this.#log.dropBefore(manifest.logFrom)
      this.#mustRenew = false
      return written
    } catch (thrown) {
      for (const [table, owners] of pending) for (const owner of owners) this.touch(table, owner)
      throw thrown
    }
  }

  async #writeAll(pending: ReadonlyMap<string, ReadonlySet<string>>): Promise<number> {
    const { documents } = layout(this.#dir)
    let written = 0
    for (const [table, owners] of pending) {
      const folder = dirname(pathOf(documents, table, ''))
      await ensureDir(this.#fs, folder, this.#dir)
      const waiting = owners.values()
      const write = async (): Promise<void> => {
        for (const owner of waiting) {
          if (isJournal(table)) await this.#writeGroup(table, owner)
          // Read `seq` and the documents together, without an `await` in between.
          else
            await this.#write({
              collection: table,
              owner,
              seq: this.#database.seq,
              documents: this.#database.ownedBy(table, owner),
            })
          written++
        }
      }
      // Wait for all, even after a failure: none may still write when the store is closed.
      for (const outcome of await Promise.allSettled(Array.from({ length: WRITE_AT_ONCE }, write)))
        if (outcome.status === 'rejected') throw outcome.reason
      await this.#fs.syncDir(folder)
    }
    return written
  }

  #write(data: Checkpoint): Promise<void> {
    return new Low(
      checkpointFile(this.#fs, pathOf(layout(this.#dir).documents, data.collection, data.owner)),
      data,
    ).write()
  }

  async #writeGroup(table: string, owner: string): Promise<void> {
    const { seq } = this.#database
    const { index, installed } = await this.#database.journals.flush(table, owner)
    await this.#write({ collection: table, owner, seq, documents: [index] })
    installed()
  }

  /**
   * Removes the files of owners without documents. Call it only after the new manifest is written: with the old one, a
   * start would report the files as lost.
   */
  async #tidy(pending: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
    for (const [table, owners] of pending) {
      for (const owner of owners) {
        if (isJournal(table)) await this.#database.journals.tidy(table, owner)
        if (this.#dirty.get(table)?.has(owner) || this.#database.hasOwner(table, owner)) continue
        await this.#fs.unlink(pathOf(layout(this.#dir).documents, table, owner))
      }
    }
  }
}
