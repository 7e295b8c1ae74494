/** Writes loose objects durably, protects them from a prune, and repairs damaged ones. */
import { required } from '../../kernel/defined.js'
import { errorCode } from '../../kernel/thrown.js'
import { readdirSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newId } from '../../kernel/ids.js'
import { eachInSlices, filterInSlices, Slices } from '../../kernel/slices.js'
import { Sequence } from '../../kernel/turns.js'
import { GitError } from '../errors.js'
import type { RepositoryCaches } from './caches.js'
import { type Disk, inParallel, REPACK_ATTEMPTS, syncPath, writeSynced } from './disk.js'
import { type EncodedObject, MAX_OBJECT_BYTES } from './hash.js'
import { deflated, findLoose, isLooseFolder, loosePath } from './loose.js'
import type { NewCommits } from './kept-packs.js'
import { makeFolder, OwnPacks } from './own-packs.js'
import { findInPacks } from './pack-index.js'

const WIDTH = 8
/** Minimum number of lookups for which the folder is listed first. */
const MANY = 6
/** Maximum number of looked up objects whose packs are cached. More would only displace other cached values. */
const MAX_NOTED = 1000
/** Maximum total size of objects in one pack in bytes: reading them again takes memory. */
const MAX_PACKED_BYTES = 256 * 1024 * 1024
/** Number of packs that wait to be joined at which a write waits for it. */
const MAX_FREED = 64
/** The file name of a loose object. */
const NAME = /^[0-9a-f]{38}$/
const HOUR_MS = 3_600_000
/** Maximum age of a file that is safe from a prune without renewing its time: half the age that a prune requires. */
const FRESH_MS = 7 * 24 * HOUR_MS
/** Errors of setting the time of a file that belongs to another user. */
const NOT_OURS = new Set(['EPERM', 'EACCES'])

/** Writes loose objects into one repository, always synced, and checks which objects the repository has. */
export class ObjectWriter {
  readonly #objects: string
  readonly packs: OwnPacks
  readonly #joins = new Sequence()
  /** The next joining of packs, which has not started yet. */
  #joining: Promise<void> | null = null

  constructor(
    repository: string,
    readonly caches: Pick<RepositoryCaches, 'verified' | 'packs' | 'packOf'>,
    readonly disk: Disk,
    /** Repositories from which this one borrows. Their objects do not count as absent. */
    readonly borrowed: readonly ObjectWriter[] = [],
  ) {
    this.#objects = join(repository, 'objects')
    this.packs = new OwnPacks(this.#objects, disk)
  }

  /**
   * Writes objects. They are durable when the promise resolves. An existing object is replaced. This repairs a damaged
   * file, and renews its time so that a prune does not delete it.
   */
  async write(objects: readonly EncodedObject[]): Promise<void> {
    let left = objects
    for (let attempt = 1; left.length > 0; attempt++) {
      await inParallel(left, WIDTH, (object) => this.#place(object))
      // In between, Git has packed the objects or pruned them, if it removed their folder.
      const gone = await this.#syncFolders(left.map(({ oid }) => oid))
      const lost = new Set(gone.length === 0 ? [] : await this.keep(gone))
      if (lost.size > 0 && attempt > REPACK_ATTEMPTS)
        throw new GitError(
          `another process keeps deleting objects that are written to ${this.#objects}. Stop running Git maintenance in this repository`,
        )
      left = left.filter(({ oid }) => lost.has(oid))
    }
  }

  /**
   * Writes objects that belong together as one pack. This takes two files for any number of objects, and no repack
   * deletes the pack until refs name `commits`. Objects that already have a loose file are also written loose, because
   * that file may be damaged.
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

  /**
   * Joins small packs of this process whose commits refs name, if there are many. Does not wait for it, because deleting
   * the old files can take much longer than a write, unless too many packs are left.
   */
  async joinPacks(): Promise<void> {
    const joining = (this.#joining ??= this.#joins.run(() => this.#join()))
    if (this.packs.kept.freed > MAX_FREED) await joining
  }

  /** Runs work that deletes packs while no packs are joined. */
  deletingPacks<T>(work: () => Promise<T>): Promise<T> {
    return this.#joins.run(work)
  }

  /** Waits until no packs are joined, and removes the protection of all packs. Call it after all writes have ended. */
  async close(): Promise<void> {
    await this.#joins.idle()
    await this.packs.kept.close()
  }

  async #join(): Promise<void> {
    this.#joining = null
    for (const joined of await this.packs.join()) this.#note(joined.name, joined.oids)
  }

  /** Remembers the pack that contains these objects. */
  #note(pack: string, oids: readonly string[]): void {
    this.caches.packs.set(pack, Date.now())
    for (const oid of oids) this.caches.packOf.set(oid, pack)
  }

  /** Returns the packs that currently contain the objects on the disk. Objects without a pack are left out. */
  async #findPacked(oids: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    const there = new Map<string, boolean>()
    await eachInSlices(oids, (oid) => {
      const pack = this.caches.packOf.get(oid)
      if (pack === undefined) return
      if (!there.has(pack)) there.set(pack, this.#hasPack(pack))
      if (there.get(pack)) found.set(oid, pack)
    })
    const rest = await filterInSlices(oids, (oid) => !found.has(oid))
    if (rest.length === 0) return found
    await eachInSlices(await findInPacks(this.#objects, rest), ([oid, pack]) => {
      found.set(oid, pack)
      if (rest.length <= MAX_NOTED) this.caches.packOf.set(oid, pack)
    })
    return found
  }

  #hasPack(name: string): boolean {
    return [name, name.replace(/\.pack$/, '.idx')].every(
      (one) => statSync(join(this.packs.folder, one), { throwIfNoEntry: false }) !== undefined,
    )
  }

  /**
   * Makes existing objects (the blob of a moved page, an old tree that is used again) as safe as new ones: looks them
   * up on the disk, verifies and syncs them, and renews their time. Returns the objects for which this failed because
   * they are missing, damaged, or about to be pruned. They must be written again.
   */
  async keep(oids: readonly string[]): Promise<string[]> {
    const absent = await this.#notLoose(oids)
    const elsewhere = new Set(absent)
    const found: Record<'kept' | 'absent' | 'unsafe', string[]> = { kept: [], absent, unsafe: [] }
    const loose = oids.filter((oid) => !elsewhere.has(oid))
    await inParallel(loose, WIDTH, async (oid) => {
      found[await this.#keepLoose(oid)].push(oid)
    })
    const gone = await this.#syncFolders(found.kept)
    return [...found.unsafe, ...(await this.#keepPacked([...found.absent, ...gone]))]
  }

  /** Returns the objects that are in no pack, or in a pack that may be pruned. */
  async #keepPacked(oids: readonly string[]): Promise<string[]> {
    if (oids.length === 0) return []
    const packed = await this.#findPacked(oids)
    const old = await this.#keepPacks(new Set(packed.values()))
    return filterInSlices(oids, (oid) => !packed.has(oid) || old.has(required(packed.get(oid))))
  }

  /**
   * Returns those of `oids` that are currently neither loose nor packed on the disk, here or in borrowed repositories.
   */
  async absent(oids: readonly string[]): Promise<string[]> {
    let absent = await this.#absentHere(oids)
    for (const other of this.borrowed) absent = absent.length === 0 ? [] : await other.absent(absent)
    return absent
  }

  async #absentHere(oids: readonly string[]): Promise<string[]> {
    const elsewhere = await this.#notLoose(oids)
    if (elsewhere.length === 0) return []
    const packed = await this.#findPacked(elsewhere)
    // A repack may have unpacked some objects in between.
    return this.#notLoose(elsewhere.filter((oid) => !packed.has(oid)))
  }

  /** Removes empty loose objects, on which Git fails. Returns their number. */
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

  /** Removes a loose object if its file is damaged, so that Git writes it again. Returns whether it did. */
  async removeDamaged(oid: string): Promise<boolean> {
    if ((await this.#notLoose([oid])).length > 0 || (await this.#isIntact(oid))) return false
    await this.disk.unlink(this.#path(oid))
    return true
  }

  /**
   * Makes the names of objects durable. Always syncs `objects/` as well, since another write may have created a folder
   * there without syncing it yet. Returns the objects whose folder no longer exists: Git removes it with its last
   * object.
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
    // A crash may leave this file behind. `git prune` and `git gc` delete old files with such a name.
    const temporary = join(folder, `tmp_obj_${newId()}`)
    for (let attempt = 1; ; attempt++) {
      try {
        await writeSynced(this.disk, temporary, [data], 0o444)
        await this.disk.rename(temporary, this.#path(oid))
        this.caches.verified.set(oid, true)
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

  /** Whether the content of a loose object matches its ID. Throws ENOENT if there is none. */
  async #isIntact(oid: string): Promise<boolean> {
    const { size } = await stat(this.#path(oid))
    if (size === 0) return false
    if (this.caches.verified.has(oid)) return true
    try {
      if ((await findLoose(this.#objects, oid, MAX_OBJECT_BYTES, { verify: true })) === null) return false
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      return false
    }
    this.caches.verified.set(oid, true)
    return true
  }

  /** Renews the modification time of a file. Returns whether the time is recent now. */
  async #renew(path: string): Promise<boolean> {
    try {
      await this.disk.utimes(path, Date.now() / 1000)
      return true
    } catch (error) {
      if (!NOT_OURS.has(errorCode(error) ?? '')) throw error
      return (await stat(path)).mtimeMs > Date.now() - FRESH_MS
    }
  }

  /**
   * Renews the time of packs and syncs them. Returns the packs that no longer exist, or that are old and belong to
   * another user.
   */
  async #keepPacks(names: ReadonlySet<string>): Promise<Set<string>> {
    const old = new Set<string>()
    const folder = join(this.#objects, 'pack')
    const due = [...names].filter((name) => Date.now() - (this.caches.packs.get(name) ?? 0) > HOUR_MS)
    await inParallel(due, WIDTH, async (name) => {
      try {
        // An admin's Git may have written it without a sync.
        if (!this.caches.packs.has(name))
          for (const one of [name, name.replace(/\.pack$/, '.idx')]) await syncPath(this.disk, join(folder, one))
        if (await this.#renew(join(folder, name))) this.caches.packs.set(name, Date.now())
        else old.add(name)
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error
        old.add(name)
      }
    })
    if (due.length > 0) await syncPath(this.disk, folder)
    return old
  }

  /**
   * Checks synchronously, in slices: no file is read, and handing each check to a thread would take ten times as long.
   */
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

  /**
   * Returns the folders that may have loose objects; null if unknown. Most repositories have few or none, because
   * objects that are written together are in packs.
   */
  #looseFolders(): ReadonlySet<string> | null {
    try {
      return new Set(readdirSync(this.#objects))
    } catch {
      return null
    }
  }
}
