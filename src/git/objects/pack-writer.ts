/** Writes many objects as one pack with its index, durably. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { newId } from '../../kernel/ids.js'
import { GitError } from '../errors.js'
import { type Disk, errorCode, syncPath, writeSynced } from './disk.js'
import { MAX_OFFSET, type PackEntry, packHeader, packIndex, type RawEntry } from './pack-format.js'

/** Bytes that are collected before they are written. */
const CHUNK = 1024 * 1024

export interface WrittenPack {
  /** The file's name, with its extension. */
  name: string
  bytes: number
}

/**
 * Writes a pack of `count` entries into the folder `objects/pack` and syncs it, its index and the folder. Until both have their
 * names, Git reads nothing of them; `git prune` and `git gc` delete old files with names like those that they have before.
 */
export async function writePack(disk: Disk, folder: string, count: number, entries: AsyncIterable<RawEntry> | Iterable<RawEntry>): Promise<WrittenPack> {
  const id = newId()
  const [pack, index] = [join(folder, `tmp_pack_${id}`), join(folder, `tmp_idx_${id}`)]
  try {
    const { checksum, bytes } = await writeEntries(disk, pack, count, entries, (found, checksum) =>
      writeSynced(disk, index, [packIndex(found, checksum)], 0o444),
    )
    const name = `pack-${checksum.toString('hex')}`
    await namePack(disk, { pack, index }, join(folder, name))
    await syncPath(disk, folder)
    return { name: `${name}.pack`, bytes }
  } catch (error) {
    for (const path of [pack, index]) await disk.unlink(path).catch(() => {})
    throw error
  }
}

/** Content of our `.keep` files. */
export const OUR_KEEP = 'bindery\n'

/** Gives a pack and its index their names; `path` is without an extension. The caller syncs the folder. */
export function namePack(disk: Disk, files: { pack: string; index: string }, path: string): Promise<void> {
  return keepingPack(disk, path, async () => {
    await disk.rename(files.pack, `${path}.pack`)
    await disk.rename(files.index, `${path}.idx`)
  })
}

/**
 * Does work that gives the files of a pack their names, with a `.keep` file beside them until that is done: `git repack -d` before Git 2.42 deletes every other
 * `.pack` that was there when it began, also one that had no index yet, whose objects it therefore had not read. To name the index first would be no
 * better, since `git gc` deletes an index without a pack.
 */
export async function keepingPack(disk: Disk, path: string, work: () => Promise<void>): Promise<void> {
  const keep = `${path}.keep`
  const isOurs = await writeKeep(disk, keep)
  try {
    await work()
  } finally {
    // What stays is removed by the maintenance.
    if (isOurs) await disk.unlink(keep).catch(() => {})
  }
}

/** Returns false if there is one. It need not outlive a power cut. */
async function writeKeep(disk: Disk, path: string): Promise<boolean> {
  try {
    const fd = await disk.open(path, 'wx', 0o444)
    await disk.write(fd, Buffer.from(OUR_KEEP)).finally(() => disk.close(fd))
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    return false
  }
}

/** Writes a pack. `summed` is called when its checksum is known: what that writes is synced at the same time. */
async function writeEntries(
  disk: Disk,
  path: string,
  count: number,
  entries: AsyncIterable<RawEntry> | Iterable<RawEntry>,
  summed: (found: readonly PackEntry[], checksum: Buffer) => Promise<void>,
): Promise<{ checksum: Buffer; bytes: number }> {
  const fd = await disk.open(path, 'wx', 0o444)
  try {
    const hash = createHash('sha1')
    const found: PackEntry[] = []
    let waiting: Buffer[] = []
    let [bytes, held] = [0, 0]
    const flush = async (): Promise<void> => {
      const data = Buffer.concat(waiting)
      ;[waiting, held] = [[], 0]
      await disk.write(fd, data)
    }
    const put = async (data: Buffer): Promise<void> => {
      waiting.push(data)
      bytes += data.length
      held += data.length
      if (held > CHUNK) await flush()
    }
    const hashed = async (data: Buffer): Promise<void> => {
      hash.update(data)
      await put(data)
    }
    await hashed(packHeader(count))
    for await (const entry of entries) {
      if (bytes > MAX_OFFSET) throw new GitError('the objects are too large for one pack')
      found.push({ oid: entry.oid, offset: bytes, crc: crc32(entry.bytes) })
      await hashed(entry.bytes)
    }
    const checksum = hash.digest()
    await put(checksum)
    await flush()
    await bothOf(disk.fsync(fd), summed(found, checksum))
    return { checksum, bytes }
  } finally {
    await disk.close(fd)
  }
}

/** Waits for both, also if one fails: nothing may be under way when the files are closed and removed. */
async function bothOf(one: Promise<void>, other: Promise<void>): Promise<void> {
  for (const result of await Promise.allSettled([one, other])) if (result.status === 'rejected') throw result.reason
}
