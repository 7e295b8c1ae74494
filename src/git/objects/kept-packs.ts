/**
 * Protects packs until a ref names what they hold: an administrator's `git repack -a -d` deletes every pack with objects that no ref names, unless there
 * is a `.keep` file beside it, as `git receive-pack` makes one.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Disk, errorCode } from './disk.js'
import type { WrittenPack } from './pack-writer.js'

const TEXT = Buffer.from('bindery: a write is under way\n')
/** A file that nobody may write, so that it is known also if a power failure took its text, which is not synced. */
const MODE = 0o444
const WRITABLE = 0o222
/** A write whose ref has not moved after this time was given up. */
const GIVEN_UP_MS = 3_600_000
/** Most packs that are protected at a time. The oldest ones then belong to writes that were given up. */
const MOST = 256

/** A pack: its name without an extension, and whether it may be joined with others. */
interface OpenPack {
  readonly name: string
  /** The pack, if it may be joined with others as soon as it is no longer protected. */
  pack: WrittenPack | null
  /** Commits in it that no ref names yet; null: it is protected until all refs of a copy have followed the database. */
  commits: Set<string> | null
  readonly since: number
  /** Whether its file could be made. */
  readonly made: Promise<boolean>
}

/** The commits that a pack is protected for, with their parents as far as they are known. */
export type NewCommits = ReadonlyMap<string, readonly string[]>

/** The packs of one repository that no ref names yet. */
export class KeptPacks {
  // bound: MOST, and those whose files are being made
  readonly #kept = new Map<string, OpenPack>()
  // bound: the commits of those packs
  readonly #commits = new Map<string, { of: OpenPack; parents: readonly string[] }>()
  // bound: files that are being removed
  readonly #ending = new Map<string, Promise<void>>()
  // bound: packs whose refs moved since `free` was called
  #free: WrittenPack[] = []

  constructor(
    readonly folder: string,
    readonly disk: Disk,
  ) {}

  /** Makes the file of a pack, which does not have its own name yet. It needs no sync: after a power failure nothing of the write is left that must be protected. */
  async begin(name: string): Promise<void> {
    await this.#ending.get(name)
    const known = this.#kept.get(name)
    if (known) return void (await known.made)
    const made = this.#make(this.#fileOf(name))
    // Before the file is there: what is not known here is taken for a left-over.
    this.#kept.set(name, { name, pack: null, commits: new Set(), since: Date.now(), made })
    if (!(await made.catch(() => false))) {
      this.#kept.delete(name)
      return void (await made)
    }
    for (const one of this.#kept.values()) {
      if (this.#kept.size <= MOST && Date.now() - one.since < GIVEN_UP_MS) break
      this.#end(one)
    }
  }

  /** Returns false if somebody else wants to keep the pack. */
  async #make(path: string): Promise<boolean> {
    try {
      const file = await this.disk.open(path, 'wx', MODE)
      try {
        await this.disk.write(file, TEXT)
      } finally {
        await this.disk.close(file)
      }
      return true
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
      return isOurs(path)
    }
  }

  /** The pack was not written. */
  failed(name: string): void {
    const kept = this.#kept.get(name)
    if (kept?.commits?.size === 0) this.#end(kept)
  }

  /** Protects a pack, for which `begin` was called, until refs name all of these commits. */
  until(name: string, commits: NewCommits, pack: WrittenPack | null): void {
    const kept = this.#kept.get(name)
    if (!kept) return
    kept.pack ??= pack
    kept.commits ??= new Set()
    for (const [commit, parents] of commits) {
      kept.commits.add(commit)
      this.#commits.set(commit, { of: kept, parents })
    }
  }

  /** Protects a pack, for which `begin` was called, until the refs of the disk have followed the database. */
  untilFollowed(name: string, pack: WrittenPack | null): void {
    const kept = this.#kept.get(name)
    if (!kept) return
    kept.pack ??= pack
    if (kept.commits?.size === 0) kept.commits = null
  }

  /** Refs name these commits now, and so all that these contain. */
  named(tips: Iterable<string>): void {
    const left = [...tips]
    for (let commit = left.pop(); commit !== undefined; commit = left.pop()) {
      const found = this.#commits.get(commit)
      if (!found) continue
      this.#commits.delete(commit)
      left.push(...found.parents)
      found.of.commits?.delete(commit)
      if (found.of.commits?.size === 0) this.#end(found.of)
    }
  }

  /** All refs of the disk have followed the database. */
  followed(): void {
    for (const one of [...this.#kept.values()]) if (one.commits === null) this.#end(one)
  }

  /** Whether a pack is protected, or being released. */
  has(name: string): boolean {
    return this.#kept.has(name) || this.#ending.has(name)
  }

  /** The packs that are no longer protected, and may be joined with others. Each is returned once. */
  free(): WrittenPack[] {
    return this.#free.splice(0)
  }

  /** Removes all files, since nobody writes any more. */
  async close(): Promise<void> {
    for (const one of [...this.#kept.values()]) this.#end(one)
    await Promise.all(this.#ending.values())
  }

  /** Removes the files that a killed process left, those of writes under way excepted. */
  recover(): void {
    for (const name of namesIn(this.folder)) {
      if (!name.endsWith('.keep') || this.has(name.slice(0, -'.keep'.length))) continue
      const path = join(this.folder, name)
      if (isOurs(path)) rmSync(path, { force: true })
    }
  }

  /** Nobody waits for the removal: a pack that is protected for a moment too long does no harm. */
  #end(kept: OpenPack): void {
    this.#kept.delete(kept.name)
    for (const commit of kept.commits ?? []) if (this.#commits.get(commit)?.of === kept) this.#commits.delete(commit)
    const removing = this.disk.unlink(this.#fileOf(kept.name)).catch(() => {})
    const ended = removing.then(() => {
      this.#ending.delete(kept.name)
      if (kept.pack) this.#free.push(kept.pack)
    })
    this.#ending.set(kept.name, ended)
  }

  #fileOf(name: string): string {
    return join(this.folder, `${name}.keep`)
  }
}

/** Whether a `.keep` file is one of those that protect writes. False if it is gone. */
function isOurs(path: string): boolean {
  try {
    const text = readFileSync(path)
    return text.equals(TEXT) || (text.length === 0 && (statSync(path).mode & WRITABLE) === 0)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return false
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return []
  }
}
