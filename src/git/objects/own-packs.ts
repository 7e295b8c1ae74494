/**
 * The packs that this process writes into one repository. They are protected until a ref names their commits, and later
 * joined.
 */
import { errorCode } from '../../kernel/thrown.js'
import { join } from 'node:path'
import { NoRepository } from '../errors.js'
import { type Disk, REPACK_ATTEMPTS, syncPath } from './disk.js'
import type { EncodedObject } from './hash.js'
import { KeptPacks, type NewCommits } from './kept-packs.js'
import { packEntry, type RawEntry } from './pack-format.js'
import { type WrittenPack, writePack } from './pack-writer.js'
import { type JoinedPack, SmallPacks } from './small-packs.js'

/** The packs of this process in one repository. */
export class OwnPacks {
  readonly folder: string
  readonly kept: KeptPacks
  readonly #small: SmallPacks

  constructor(
    readonly objects: string,
    readonly disk: Disk,
  ) {
    this.folder = join(objects, 'pack')
    this.kept = new KeptPacks(this.folder, disk)
    this.#small = new SmallPacks(this.folder, disk)
  }

  /**
   * Writes objects durably as a pack, which is protected until refs name all `commits`. Without commits, it is not
   * protected. Throws `NoRepository`.
   */
  async write(objects: readonly EncodedObject[], commits: NewCommits): Promise<WrittenPack> {
    const kept = commits.size > 0 ? this.kept : null
    for (let attempt = 1; ; attempt++) {
      try {
        const pack = await writePack(this.disk, this.folder, objects.length, entriesFrom(objects), kept)
        kept?.until(pack.stem, commits, pack)
        return pack
      } catch (error) {
        // `git prune --expire=now` deletes files while they are written, or an admin may have deleted the folder.
        if (errorCode(error) !== 'ENOENT' || attempt > REPACK_ATTEMPTS) throw error
      }
      await makeFolder(this.disk, this.folder)
      await syncPath(this.disk, this.objects)
    }
  }

  /** Protects an existing pack until refs name all of `heads`. `stem` is its name without an extension. */
  async protect(stem: string, heads: readonly string[]): Promise<void> {
    await this.kept.begin(stem)
    this.kept.until(stem, new Map(heads.map((head) => [head, []])), null)
  }

  /** Joins packs that are no longer protected, if there are many small ones. */
  async join(): Promise<JoinedPack[]> {
    const joined: JoinedPack[] = []
    for (const pack of this.kept.free()) {
      // The objects are already durable. Maintenance handles packs that cannot be joined here.
      const into = await this.#small.add(pack).catch(() => null)
      if (into) joined.push(into)
    }
    return joined
  }
}

/** Creates a folder for objects. Throws `NoRepository` if the repository was removed. */
export async function makeFolder(disk: Disk, folder: string): Promise<void> {
  await disk.mkdir(folder).catch((cause: unknown) => {
    throw errorCode(cause) === 'ENOENT'
      ? new NoRepository(`the parent folder of ${folder} does not exist`, { cause })
      : cause
  })
}

async function* entriesFrom(objects: readonly EncodedObject[]): AsyncGenerator<RawEntry> {
  for (const object of objects) yield { oid: object.oid, bytes: await packEntry(object) }
}
