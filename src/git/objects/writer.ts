import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newId } from '../../kernel/ids.js'
import { GitError, NoRepository } from '../errors.js'
import type { Caches } from './caches.js'
import { type Disk, errorCode, inParallel, syncPath, writeSynced } from './disk.js'
import type { EncodedObject } from './hash.js'
import { deflated, findLoose, loosePath } from './loose.js'
import { findInPacks } from './pack-index.js'

const WIDTH = 8
/** What follows the folder in a loose object's path. */
const NAME = /^[0-9a-f]{38}$/
const HOUR_MS = 3_600_000
/** What may not be dated anew is left as it is when it is younger: half of what a prune spares. */
const FRESH_MS = 7 * 24 * HOUR_MS
/** Bytes of one object, in memory while it is verified. */
const MAX_BYTES = 1024 * 1024 * 1024
/** Somebody else's file: its owner alone may date it. */
const NOT_OURS = new Set(['EPERM', 'EACCES'])

/** Puts loose objects into one repository, and says which objects it has. Nothing gets there that is not synced. */
export class ObjectWriter {
  readonly #objects: string

  constructor(
    repository: string,
    /** Tells this opening of the repository from every other in the shared caches. */
    readonly cacheKey: string,
    readonly caches: Pick<Caches, 'sound' | 'packs'>,
    readonly disk: Disk,
  ) {
    this.#objects = join(repository, 'objects')
  }

  /**
   * Writes objects; durable when it resolves. An object that is there already is replaced by the same content: this
   * repairs a damaged (zero-length) one and renews its time, so that no prune under way takes it.
   */
  async write(objects: readonly EncodedObject[]): Promise<void> {
    await this.place(objects)
    await this.syncFolders(objects.map((object) => object.oid))
  }

  /** Like `write`, but durable only when `syncFolders` has been called too. */
  async place(objects: readonly EncodedObject[]): Promise<void> {
    await inParallel(objects, WIDTH, (object) => this.#place(object))
  }

  /**
   * Makes objects that should be there already (a moved page's blob, an old tree used again) as safe as new ones: looked up on
   * the disk, verified, synced, and with a fresh time. Answers those that it cannot say this of: lost, empty, damaged, or
   * about to be pruned. They must be written again.
   */
  async keep(oids: readonly string[]): Promise<string[]> {
    const found: Record<'kept' | 'absent' | 'unsound', string[]> = { kept: [], absent: [], unsound: [] }
    await inParallel(oids, WIDTH, async (oid) => {
      found[await this.#keepLoose(oid)].push(oid)
    })
    await this.syncFolders(found.kept)
    return [...found.unsound, ...(await this.#keepPacked(found.absent))]
  }

  /** Answers those that are in no pack that can be relied on. */
  async #keepPacked(oids: readonly string[]): Promise<string[]> {
    if (oids.length === 0) return []
    const packed = await findInPacks(this.#objects, oids)
    const old = await this.#keepPacks(new Set(packed.values()))
    return oids.filter((oid) => !packed.has(oid) || old.has(packed.get(oid) as string))
  }

  /** Those of `oids` that the repository has neither loose nor packed, as the disk says now. */
  async absent(oids: readonly string[]): Promise<string[]> {
    const elsewhere = await this.#notLoose(oids)
    if (elsewhere.length === 0) return []
    const packed = await findInPacks(this.#objects, elsewhere)
    // A repack may have unpacked one in between.
    return this.#notLoose(elsewhere.filter((oid) => !packed.has(oid)))
  }

  /** Removes loose objects of no bytes, which stop Git wherever it meets one. Answers how many. */
  async removeEmpty(): Promise<number> {
    let removed = 0
    const folders = (await this.disk.readdir(this.#objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))
    for (const folder of folders) {
      const paths = (await this.disk.readdir(join(this.#objects, folder))).filter((name) => NAME.test(name)).map((name) => join(this.#objects, folder, name))
      await inParallel(paths, WIDTH, async (path) => {
        if ((await stat(path).catch(() => null))?.size !== 0) return
        await this.disk.unlink(path)
        removed++
      })
    }
    return removed
  }

  /** Removes a loose object that is empty or holds something else, so that Git writes it anew. Answers whether there was one. */
  async removeDamaged(oid: string): Promise<boolean> {
    if ((await this.#notLoose([oid])).length > 0 || (await this.#isSound(oid))) return false
    await this.disk.unlink(this.#path(oid))
    return true
  }

  /**
   * Makes the names of objects durable. `objects/` itself every time: another write may have made the fan-out folder and
   * not have synced it yet.
   */
  async syncFolders(oids: readonly string[]): Promise<void> {
    if (oids.length === 0) return
    const folders = [...new Set(oids.map((oid) => dirname(this.#path(oid))))]
    await inParallel([...folders, this.#objects], WIDTH, (folder) => syncPath(this.disk, folder))
  }

  #path(oid: string): string {
    return loosePath(this.#objects, oid)
  }

  async #place(object: EncodedObject): Promise<void> {
    const { oid } = object
    const data = await deflated(object)
    const folder = dirname(this.#path(oid))
    // `git prune` and `git gc` know files of this name as ours to clear away after a crash.
    const temporary = join(folder, `tmp_obj_${newId()}`)
    for (let attempt = 1; ; attempt++) {
      try {
        await writeSynced(this.disk, temporary, [data], 0o444)
        await this.disk.rename(temporary, this.#path(oid))
        this.caches.sound.set(this.cacheKey + oid, true)
        return
      } catch (error) {
        await this.disk.unlink(temporary).catch(() => {})
        // A folder that is missing was never made, or `gc` has just removed it because it was empty.
        if (errorCode(error) !== 'ENOENT' || attempt > 5) throw error
        await this.disk.mkdir(folder).catch((cause: unknown) => {
          throw errorCode(cause) === 'ENOENT' ? new NoRepository(`${this.#objects} is gone`, { cause }) : cause
        })
      }
    }
  }

  async #keepLoose(oid: string): Promise<'kept' | 'absent' | 'unsound'> {
    const path = this.#path(oid)
    try {
      if (!(await this.#isSound(oid)) || !(await this.#renew(path))) return 'unsound'
      await syncPath(this.disk, path)
      return 'kept'
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      return 'absent'
    }
  }

  /** Whether a loose object holds what its name says. Throws ENOENT where there is none. */
  async #isSound(oid: string): Promise<boolean> {
    const { size } = await stat(this.#path(oid))
    if (size === 0) return false
    if (this.caches.sound.has(this.cacheKey + oid)) return true
    try {
      if ((await findLoose(this.#objects, oid, MAX_BYTES, { verify: true })) === null) return false
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      return false
    }
    this.caches.sound.set(this.cacheKey + oid, true)
    return true
  }

  /** Gives a file a fresh time. Answers whether it has one. */
  async #renew(path: string): Promise<boolean> {
    try {
      await this.disk.utimes(path, Date.now() / 1000)
      return true
    } catch (error) {
      if (!NOT_OURS.has(errorCode(error) ?? '')) throw error
      return (await stat(path)).mtimeMs > Date.now() - FRESH_MS
    }
  }

  /** Renews and syncs packs that are relied on; answers those that are old and not ours to renew, or gone. */
  async #keepPacks(names: ReadonlySet<string>): Promise<Set<string>> {
    const old = new Set<string>()
    const folder = join(this.#objects, 'pack')
    const due = [...names].filter((name) => Date.now() - (this.caches.packs.get(this.cacheKey + name) ?? 0) > HOUR_MS)
    await inParallel(due, WIDTH, async (name) => {
      try {
        // An admin's Git may have put it there without a sync.
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

  async #notLoose(oids: readonly string[]): Promise<string[]> {
    const absent: string[] = []
    await inParallel(oids, WIDTH, async (oid) => {
      const there = await stat(this.#path(oid)).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error
        return null
      })
      if (!there) absent.push(oid)
    })
    return absent
  }
}
