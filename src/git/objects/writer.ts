import { join } from 'node:path'
import { promisify } from 'node:util'
import { newId } from '../../kernel/ids.js'
import { constants, deflate, deflateSync } from 'node:zlib'
import { MissingObject, NoRepository } from '../errors.js'
import { type Disk, errorCode, inParallel, syncPath, writeSynced } from './disk.js'
import type { EncodedObject } from './hash.js'

const deflateLarge = promisify<Uint8Array, { level: number }, Buffer>(deflate)
const LARGE = 64 * 1024
const WIDTH = 8

/** Puts loose objects into one repository. */
export class ObjectWriter {
  readonly #objects: string
  #packsTouched = 0

  constructor(
    repository: string,
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
    await inParallel(objects, WIDTH, (object) => this.#place(object, true))
  }

  /** Writes objects that nothing durable will name. */
  async writeVolatile(objects: readonly EncodedObject[]): Promise<void> {
    await inParallel(objects, WIDTH, (object) => this.#place(object, false))
  }

  /**
   * Makes objects that are there already (a merge's trees, an old blob used again) as safe as new ones: synced, and with a
   * fresh time. Those that are not loose are packed: then the packs' times are renewed. Throws `MissingObject` where a
   * loose one is empty.
   */
  async keep(oids: readonly string[]): Promise<void> {
    const loose: string[] = []
    let packed = false
    await inParallel(oids, WIDTH, async (oid) => {
      try {
        await this.disk.utimes(this.#path(oid), Date.now() / 1000)
        await syncPath(this.disk, this.#path(oid))
        loose.push(oid)
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw new MissingObject(`object ${oid} cannot be kept`, { cause: error })
        packed = true
      }
    })
    await Promise.all([this.syncFolders(loose), packed ? this.#touchPacks() : null])
  }

  #path(oid: string): string {
    return join(this.#objects, oid.slice(0, 2), oid.slice(2))
  }

  async #place({ oid, header, content }: EncodedObject, durable: boolean): Promise<void> {
    const plain = Buffer.concat([header, content])
    const options = { level: constants.Z_BEST_SPEED }
    const data = plain.length > LARGE ? await deflateLarge(plain, options) : deflateSync(plain, options)
    const folder = join(this.#objects, oid.slice(0, 2))
    // `git prune` and `git gc` know files of this name as ours to clear away after a crash.
    const temporary = join(folder, `tmp_obj_${newId()}`)
    for (let attempt = 1; ; attempt++) {
      try {
        if (durable) await writeSynced(this.disk, temporary, [data], 0o444)
        else await this.#writePlain(temporary, data)
        return await this.disk.rename(temporary, this.#path(oid))
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

  async #writePlain(path: string, data: Uint8Array): Promise<void> {
    const fd = await this.disk.open(path, 'wx', 0o444)
    try {
      await this.disk.write(fd, data)
    } finally {
      await this.disk.close(fd)
    }
  }

  /**
   * Makes the names of objects durable. `objects/` itself every time: another write may have made the fan-out folder and
   * not have synced it yet.
   */
  async syncFolders(oids: readonly string[]): Promise<void> {
    if (oids.length === 0) return
    const folders = [...new Set(oids.map((oid) => join(this.#objects, oid.slice(0, 2))))]
    await inParallel([...folders, this.#objects], WIDTH, (folder) => syncPath(this.disk, folder))
  }

  async #touchPacks(): Promise<void> {
    const HOUR_MS = 3_600_000
    if (Date.now() - this.#packsTouched < HOUR_MS) return
    const folder = join(this.#objects, 'pack')
    const packs = (await this.disk.readdir(folder)).filter((name) => name.endsWith('.pack'))
    await inParallel(packs, WIDTH, (name) =>
      this.disk.utimes(join(folder, name), Date.now() / 1000).catch((error: unknown) => {
        // A repack has just replaced it, and dates its own by the clock.
        if (errorCode(error) !== 'ENOENT') throw error
      }),
    )
    this.#packsTouched = Date.now()
  }
}
