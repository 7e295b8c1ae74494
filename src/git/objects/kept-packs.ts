/**
 * Protects packs until a ref names their commits. An admin's `git repack -a -d` deletes every pack whose objects no ref
 * needs, unless a `.keep` file exists next to it, like the one that `git receive-pack` creates.
 */
import { errorCode } from '../../kernel/thrown.js'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from './disk.js'
import type { WrittenPack } from './pack-writer.js'

const TEXT = Buffer.from('bindery: a write is under way\n')
/**
 * The mode of a `.keep` file of this process: read-only. It identifies the file even if a power failure emptied it,
 * since the text is not synced.
 */
const MODE = 0o444
const WRITABLE = 0o222
/** Time after which a write without a ref counts as abandoned, in milliseconds. */
const GIVEN_UP_MS = 3_600_000
/** Maximum number of protected packs. Beyond it, the oldest ones belong to abandoned writes. */
const MOST = 256

/** A protected pack, named without a file extension. */
interface OpenPack {
  readonly name: string
  /** The pack, if it may be joined with others once it is no longer protected. */
  pack: WrittenPack | null
  /**
   * Commits in the pack that no ref names yet; null: protected until all refs of a copy are up to date with the
   * database.
   */
  commits: Set<string> | null
  readonly since: number
  /** Whether its `.keep` file could be created. */
  readonly made: Promise<boolean>
}

/** The commits for which a pack is protected, with their known parents. */
export type NewCommits = ReadonlyMap<string, readonly string[]>

/** The packs of one repository that no ref names yet. */
export class KeptPacks {
  // bound: MOST, and packs whose files are being created
  readonly #kept = new Map<string, OpenPack>()
  // bound: the commits of those packs
  readonly #commits = new Map<string, { of: OpenPack; parents: readonly string[] }>()
  // bound: files that are being removed
  readonly #ending = new Map<string, Promise<void>>()
  // bound: packs whose refs moved since the last call of `free`
  #free: WrittenPack[] = []

  constructor(
    readonly folder: string,
    readonly disk: Disk,
  ) {}

  /**
   * Creates the `.keep` file for a pack that does not have its final name yet. It needs no sync: after a power failure,
   * the write itself is lost and needs no protection.
   */
  async begin(name: string): Promise<void> {
    await this.#ending.get(name)
    const known = this.#kept.get(name)
    if (known) return void (await known.made)
    const made = this.#make(this.#fileOf(name))
    // Register the pack before its `.keep` file exists, because unregistered files count as leftovers.
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

  /** Creates the file. Returns false if another process protects the pack. */
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

  /** Ends the protection of a pack that was not written. */
  failed(name: string): void {
    const kept = this.#kept.get(name)
    if (kept?.commits?.size === 0) this.#end(kept)
  }

  /** Protects a pack until refs name all of these commits. `begin` must have been called for it. */
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

  /**
   * Protects a pack until the refs on the disk are up to date with the database. `begin` must have been called for it.
   */
  untilFollowed(name: string, pack: WrittenPack | null): void {
    const kept = this.#kept.get(name)
    if (!kept) return
    kept.pack ??= pack
    if (kept.commits?.size === 0) kept.commits = null
  }

  /** Records that refs name these commits, and with them all their ancestors. */
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

  /** Records that all refs on the disk are up to date with the database. */
  followed(): void {
    for (const one of [...this.#kept.values()]) if (one.commits === null) this.#end(one)
  }

  /** Whether a pack is protected or being released. */
  has(name: string): boolean {
    return this.#kept.has(name) || this.#ending.has(name)
  }

  /** Number of packs that `free` would return. */
  get freed(): number {
    return this.#free.length
  }

  /** Returns the packs that are no longer protected and may be joined with others. Each pack is returned once. */
  free(): WrittenPack[] {
    return this.#free.splice(0)
  }

  /** Removes all files. Call it after all writes have ended. */
  async close(): Promise<void> {
    for (const one of [...this.#kept.values()]) this.#end(one)
    await Promise.all(this.#ending.values())
  }

  /** Removes the files of a killed process, but not those of current writes. */
  recover(): void {
    for (const name of namesIn(this.folder)) {
      if (!name.endsWith('.keep') || this.has(name.slice(0, -'.keep'.length))) continue
      const path = join(this.folder, name)
      if (isOurs(path)) rmSync(path, { force: true })
    }
  }

  /**
   * Ends the protection without waiting for the removal of the file: protecting a pack a moment too long does no harm.
   */
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

/** Whether a `.keep` file was created by this software. False if it no longer exists. */
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
