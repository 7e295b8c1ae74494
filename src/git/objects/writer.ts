/** Writes loose objects durably, protects them from a prune, and repairs damaged ones. */
import { readdirSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { GitError } from '../errors.js'
import type { Caches } from './caches.js'
import { type Disk, errorCode, inParallel, REPACK_ATTEMPTS, syncPath, writeSynced } from './disk.js'
import { type EncodedObject, MAX_OBJECT_BYTES } from './hash.js'
import { deflated, findLoose, isLooseFolder, loosePath } from './loose.js'
import type { NewCommits } from './kept-packs.js'
import { makeFolder, OwnPacks } from './own-packs.js'
import { findInPacks } from './pack-index.js'

const WIDTH = 8
/** So many objects are looked for in one reading of the folder first. */
const MANY = 6
/** Objects that have more bytes together do not become a pack: reading it again takes memory. */
const MAX_PACKED_BYTES = 256 * 1024 * 1024
/** The file name of a loose object. */
const NAME = /^[0-9a-f]{38}$/
const HOUR_MS = 3_600_000
/** A file whose time we may not renew is safe from a prune if it is younger than this: half of the age that a prune spares. */
const FRESH_MS = 7 * 24 * HOUR_MS
/** Errors of setting the time of a file that belongs to another user. */
const NOT_OURS = new Set(['EPERM', 'EACCES'])

/** Writes loose objects into one repository, always synced, and finds out which objects the repository has. */
export class ObjectWriter {
  readonly #objects: string
  readonly packs: OwnPacks

  constructor(
    repository: string,
    /** Tells this opening of the repository from every other in the shared caches. */
    readonly cacheKey: string,
    readonly caches: Pick<Caches, 'verified' | 'packs' | 'packOf'>,
    readonly disk: Disk,
    /** Repositories whose objects this one borrows: what they have is not absent. */
    readonly borrowed: readonly ObjectWriter[] = [],
  ) {
    this.#objects = join(repository, 'objects')
    this.packs = new OwnPacks(this.#objects, disk)
  }

  /**
   * Writes objects; they are durable when it resolves. An object that exists is replaced: this repairs a damaged file, and
   * renews its time, so that a prune does not delete it.
   */
  async write(objects: readonly EncodedObject[]): Promise<void> {
    let left = objects
    for (let attempt = 1; left.length > 0; attempt++) {
      await inParallel(left, WIDTH, (object) => this.#place(object))
      // Git has packed objects in between, or pruned them, if it removed their folder.
      const gone = await this.#syncFolders(left.map(({ oid }) => oid))
      const lost = new Set(gone.length === 0 ? [] : await this.keep(gone))
      if (lost.size > 0 && attempt > REPACK_ATTEMPTS)
        throw new GitError(`objects that are written to ${this.#objects} are deleted again and again`)
      left = left.filter(({ oid }) => lost.has(oid))
    }
  }

  /**
   * The same for objects that belong together: they become one pack, which costs two files however many they are, and which no repack deletes until
   * refs name `commits`. Those that have a loose file are written loose too, since it may be damaged.
   */
  async writeTogether(objects: readonly EncodedObject[], commits: NewCommits): Promise<void> {
    if (objects.length === 0) return
    if (objects.reduce((sum, { content }) => sum + content.length, 0) > MAX_PACKED_BYTES) return this.write(objects)
    const fresh = new Set(await this.#notLoose(objects.map(({ oid }) => oid)))
    await this.write(objects.filter(({ oid }) => !fresh.has(oid)))
    const { name } = await this.packs.write(objects, commits)
    this.#note(
      name,
      objects.map(({ oid }) => oid),
    )
    await this.joinPacks()
  }

  /** Joins small packs of this process with what refs name, if there are many. */
  async joinPacks(): Promise<void> {
    for (const joined of await this.packs.join()) this.#note(joined.name, joined.oids)
  }

  /** Remembers which pack has which objects. */
  #note(pack: string, oids: readonly string[]): void {
    this.caches.packs.set(this.cacheKey + pack, Date.now())
    for (const oid of oids) this.caches.packOf.set(this.cacheKey + oid, pack)
  }

  /** The packs that the objects are in, by what is on the disk at this moment; objects that are in none are left out. */
  async #findPacked(oids: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    const there = new Map<string, boolean>()
    for (const oid of oids) {
      const pack = this.caches.packOf.get(this.cacheKey + oid)
      if (pack === undefined) continue
      if (!there.has(pack)) there.set(pack, this.#hasPack(pack))
      if (there.get(pack)) found.set(oid, pack)
    }
    const rest = oids.filter((oid) => !found.has(oid))
    for (const [oid, pack] of rest.length === 0 ? [] : await findInPacks(this.#objects, rest)) {
      found.set(oid, pack)
      this.caches.packOf.set(this.cacheKey + oid, pack)
    }
    return found
  }

  #hasPack(name: string): boolean {
    return [name, name.replace(/\.pack$/, '.idx')].every(
      (one) => statSync(join(this.packs.folder, one), { throwIfNoEntry: false }) !== undefined,
    )
  }

  /**
   * Makes objects that should exist (the blob of a moved page, an old tree used again) as safe as new ones: looks them up on the
   * disk, verifies and syncs them, and renews their time. Returns those for which this failed, because they are missing, damaged,
   * or about to be pruned: they must be written again.
   */
  async keep(oids: readonly string[]): Promise<string[]> {
    const found: Record<'kept' | 'absent' | 'unsafe', string[]> = { kept: [], absent: [], unsafe: [] }
    await inParallel(oids, WIDTH, async (oid) => {
      found[await this.#keepLoose(oid)].push(oid)
    })
    const gone = await this.#syncFolders(found.kept)
    return [...found.unsafe, ...(await this.#keepPacked([...found.absent, ...gone]))]
  }

  /** Returns those that are in no pack, or in one that may be pruned. */
  async #keepPacked(oids: readonly string[]): Promise<string[]> {
    if (oids.length === 0) return []
    const packed = await this.#findPacked(oids)
    const old = await this.#keepPacks(new Set(packed.values()))
    return oids.filter((oid) => !packed.has(oid) || old.has(packed.get(oid) as string))
  }

  /** Those of `oids` that are now neither loose nor packed on the disk, here or in what is borrowed. */
  async absent(oids: readonly string[]): Promise<string[]> {
    let absent = await this.#absentHere(oids)
    for (const other of this.borrowed) absent = absent.length === 0 ? [] : await other.absent(absent)
    return absent
  }

  async #absentHere(oids: readonly string[]): Promise<string[]> {
    const elsewhere = await this.#notLoose(oids)
    if (elsewhere.length === 0) return []
    const packed = await this.#findPacked(elsewhere)
    // A repack may have unpacked some in between.
    return this.#notLoose(elsewhere.filter((oid) => !packed.has(oid)))
  }

  /** Removes empty loose objects, at which Git stops with an error. Returns how many there were. */
  async removeEmpty(): Promise<number> {
    let removed = 0
    const folders = (await this.disk.readdir(this.#objects)).filter(isLooseFolder)
    for (const folder of folders) {
      const paths = (await this.disk.readdir(join(this.#objects, folder)))
        .filter((name) => NAME.test(name))
        .map((name) => join(this.#objects, folder, name))
      await inParallel(paths, WIDTH, async (path) => {
        if ((await stat(path).catch(() => null))?.size !== 0) return
        await this.disk.unlink(path)
        removed++
      })
    }
    return removed
  }

  /** Removes a loose object if its file is damaged, so that Git writes it again. Returns whether it was. */
  async removeDamaged(oid: string): Promise<boolean> {
    if ((await this.#notLoose([oid])).length > 0 || (await this.#isIntact(oid))) return false
    await this.disk.unlink(this.#path(oid))
    return true
  }

  /**
   * Makes the names of objects durable. Always syncs `objects/` too: another write may have created a folder there and not
   * synced it yet. Returns the objects whose folder is gone: Git removes it with its last object.
   */
  async #syncFolders(oids: readonly string[]): Promise<string[]> {
    if (oids.length === 0) return []
    const gone = new Set<string>()
    const folders = [...new Set(oids.map((oid) => dirname(this.#path(oid))))]
    await inParallel([...folders, this.#objects], WIDTH, async (folder) => {
      await syncPath(this.disk, folder).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT' || folder === this.#objects) throw error
        gone.add(folder)
      })
    })
    return gone.size === 0 ? [] : oids.filter((oid) => gone.has(dirname(this.#path(oid))))
  }

  #path(oid: string): string {
    return loosePath(this.#objects, oid)
  }

  async #place(object: EncodedObject): Promise<void> {
    const { oid } = object
    const data = await deflated(object)
    const folder = dirname(this.#path(oid))
    // `git prune` and `git gc` delete old files with names like this, which a crash may leave.
    const temporary = join(folder, `tmp_obj_${newId()}`)
    for (let attempt = 1; ; attempt++) {
      try {
        await writeSynced(this.disk, temporary, [data], 0o444)
        await this.disk.rename(temporary, this.#path(oid))
        this.caches.verified.set(this.cacheKey + oid, true)
        return
      } catch (error) {
        await this.disk.unlink(temporary).catch(() => {})
        // The folder did not exist yet, or `gc` has just removed it because it was empty.
        if (errorCode(error) !== 'ENOENT' || attempt > REPACK_ATTEMPTS) throw error
        await makeFolder(this.disk, folder)
      }
    }
  }

  async #keepLoose(oid: string): Promise<'kept' | 'absent' | 'unsafe'> {
    const path = this.#path(oid)
    try {
      if (!(await this.#isIntact(oid)) || !(await this.#renew(path))) return 'unsafe'
      await syncPath(this.disk, path)
      return 'kept'
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      return 'absent'
    }
  }

  /** Whether the content of a loose object matches its name. Throws ENOENT if there is none. */
  async #isIntact(oid: string): Promise<boolean> {
    const { size } = await stat(this.#path(oid))
    if (size === 0) return false
    if (this.caches.verified.has(this.cacheKey + oid)) return true
    try {
      if ((await findLoose(this.#objects, oid, MAX_OBJECT_BYTES, { verify: true })) === null) return false
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      return false
    }
    this.caches.verified.set(this.cacheKey + oid, true)
    return true
  }

  /** Renews the modification time of a file. Returns whether it is recent now. */
  async #renew(path: string): Promise<boolean> {
    try {
      await this.disk.utimes(path, Date.now() / 1000)
      return true
    } catch (error) {
      if (!NOT_OURS.has(errorCode(error) ?? '')) throw error
      return (await stat(path)).mtimeMs > Date.now() - FRESH_MS
    }
  }

  /** Renews the time of packs and syncs them; returns those that are gone, or old and of another user. */
  async #keepPacks(names: ReadonlySet<string>): Promise<Set<string>> {
    const old = new Set<string>()
    const folder = join(this.#objects, 'pack')
    const due = [...names].filter((name) => Date.now() - (this.caches.packs.get(this.cacheKey + name) ?? 0) > HOUR_MS)
    await inParallel(due, WIDTH, async (name) => {
      try {
        // An administrator's Git may have written it without a sync.
        if (!this.caches.packs.has(this.cacheKey + name))
          for (const one of [name, name.replace(/\.pack$/, '.idx')]) await syncPath(this.disk, join(folder, one))
        if (await this.#renew(join(folder, name))) this.caches.packs.set(this.cacheKey + name, Date.now())
        else old.add(name)
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error
        old.add(name)
      }
    })
    if (due.length > 0) await syncPath(this.disk, folder)
    return old
  }

  /** Looks synchronously, in slices: nothing is read, and handing each question to a thread would take ten times as long. */
  async #notLoose(oids: readonly string[]): Promise<string[]> {
    const absent: string[] = []
    const slices = new Slices()
    const folders = oids.length < MANY ? null : this.#looseFolders()
    for (const oid of oids) {
      if (slices.due) await slices.rest()
      if (folders?.has(oid.slice(0, 2)) === false || !statSync(this.#path(oid), { throwIfNoEntry: false }))
        absent.push(oid)
    }
    return absent
  }

  /** The folders that may have loose objects; null if it is not known. Most repositories have few or none: what is written together is in packs. */
  #looseFolders(): ReadonlySet<string> | null {
    try {
      return new Set(readdirSync(this.#objects))
    } catch {
      return null
    }
  }
}
