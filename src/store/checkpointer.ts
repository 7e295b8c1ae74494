import { Low } from 'lowdb'
import { dirname } from 'node:path'
import { type Checkpoint, checkpointFile } from './checkpoint-file.js'
import type { Database } from './database.js'
import { ensureDir } from './file-system.js'
import type { Log } from './log.js'
import { isJournal } from './journal/journals.js'
import { FORMAT, layout, type Manifest, writeManifest } from './manifest.js'
import { pathOf } from './recovery.js'
import type { FileSystem } from './types.js'

const WRITE_AT_ONCE = 8

/** Which checkpoint files are out of date, and the writing of them. */
export class Checkpointer {
  readonly #fs: FileSystem
  readonly #dir: string
  readonly #database: Database
  readonly #log: Log
  /** Table → owners. */
  // bound: checkpoint files
  #dirty = new Map<string, Set<string>>()

  constructor(fs: FileSystem, dir: string, database: Database, log: Log) {
    this.#fs = fs
    this.#dir = dir
    this.#database = database
    this.#log = log
  }

  /** Notes that an owner's file is out of date. */
  touch(table: string, owner: string): void {
    const owners = this.#dirty.get(table)
    if (owners) owners.add(owner)
    else this.#dirty.set(table, new Set([owner]))
  }

  get isClean(): boolean {
    return this.#dirty.size === 0
  }

  /**
   * Brings all files that are out of date up to date, then drops the log before the present segment, which must have just
   * been begun. An interruption at any point leaves files that are newer than the manifest says: harmless, since each
   * names its own place in the log. Answers the number of files. When this throws, the log is kept and the files stay noted.
   */
  async run(migrated: number): Promise<number> {
    const manifest: Manifest = { format: FORMAT, migrated, logFrom: this.#database.seq + 1, owners: this.#database.ownerCounts() }
    const pending = this.#dirty
    this.#dirty = new Map()
    try {
      const written = await this.#writeAll(pending)
      await writeManifest(this.#fs, this.#dir, manifest)
      await this.#tidy(pending)
      await this.#log.dropBefore(manifest.logFrom)
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
          // Taken in one go: what is durable now, and how far that reaches.
          else await this.#write({ collection: table, owner, seq: this.#database.seq, documents: this.#database.ownedBy(table, owner) })
          written++
        }
      }
      // Settled, not raced: after a failure no straggler may still write when the store is closed.
      for (const outcome of await Promise.allSettled(Array.from({ length: WRITE_AT_ONCE }, write))) if (outcome.status === 'rejected') throw outcome.reason
      await this.#fs.syncDir(folder)
    }
    return written
  }

  #write(data: Checkpoint): Promise<void> {
    return new Low(checkpointFile(this.#fs, pathOf(layout(this.#dir).documents, data.collection, data.owner)), data).write()
  }

  async #writeGroup(table: string, owner: string): Promise<void> {
    const { seq } = this.#database
    const { index, installed } = await this.#database.journals.flush(table, owner)
    await this.#write({ collection: table, owner, seq, documents: [index] })
    installed()
  }

  /** Removes files without documents: only now, since until the manifest moved on a start would have missed them. */
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
