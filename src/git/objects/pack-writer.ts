/** Writes many objects durably as one pack with its index. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { newId } from '../../kernel/ids.js'
import { GitError } from '../errors.js'
import { type Disk, syncPath, writeSynced } from './disk.js'
import { MAX_OFFSET, type PackEntry, packHeader, packIndex, type RawEntry } from './pack-format.js'

/** Number of bytes that are collected before they are written. */
const CHUNK = 1024 * 1024

export interface WrittenPack {
  /** The file name with its extension. */
  name: string
  /** The file name without its extension. */
  stem: string
  bytes: number
}

/** Protects a pack from the moment that Git can find it. */
export interface PackGuard {
  /** @param stem the final name of the pack, without an extension */
  begin(stem: string): Promise<void>
  /** Ends the protection of a pack that was not written. */
  failed(stem: string): void
}

/**
 * Writes a pack of `count` entries into the folder `objects/pack`, and syncs the pack, its index and the folder. Git
 * ignores both files until they have their final names. `git prune` and `git gc` delete old files with such temporary
 * names.
 * @param guard protects the pack; its file is created while the pack and its index are synced
 */
export async function writePack(
  disk: Disk,
  folder: string,
  count: number,
  entries: AsyncIterable<RawEntry> | Iterable<RawEntry>,
  guard: PackGuard | null = null,
): Promise<WrittenPack> {
  const id = newId()
  const [pack, index] = [join(folder, `tmp_pack_${id}`), join(folder, `tmp_idx_${id}`)]
  let stem: string | null = null
  try {
    const { bytes } = await writeEntries(disk, pack, count, entries, async (found, checksum) => {
      stem = `pack-${checksum.toString('hex')}`
      const made = guard?.begin(stem) ?? Promise.resolve()
      await bothOf(made, writeSynced(disk, index, [packIndex(found, checksum)], 0o444))
    })
    await disk.rename(pack, join(folder, `${stem}.pack`))
    await disk.rename(index, join(folder, `${stem}.idx`))
    await syncPath(disk, folder)
    return { name: `${stem}.pack`, stem: String(stem), bytes }
  } catch (error) {
    for (const path of [pack, index]) await disk.unlink(path).catch(() => {})
    if (stem !== null) guard?.failed(stem)
    throw error
  }
}

/** Writes a pack. Calls `summed` when the checksum is known; the files that it writes are synced at the same time. */
async function writeEntries(
  disk: Disk,
  path: string,
  count: number,
  entries: AsyncIterable<RawEntry> | Iterable<RawEntry>,
  summed: (found: readonly PackEntry[], checksum: Buffer) => Promise<void>,
): Promise<{ bytes: number }> {
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
      if (bytes > MAX_OFFSET) throw new GitError('the objects do not fit into one pack')
      found.push({ oid: entry.oid, offset: bytes, crc: crc32(entry.bytes) })
      await hashed(entry.bytes)
    }
    const checksum = hash.digest()
    await put(checksum)
    await flush()
    await bothOf(disk.fsync(fd), summed(found, checksum))
    return { bytes }
  } finally {
    await disk.close(fd)
  }
}

/** Waits for both, even if one fails: nothing may still run when the files are closed and removed. */
async function bothOf(one: Promise<void>, other: Promise<void>): Promise<void> {
  for (const result of await Promise.allSettled([one, other])) if (result.status === 'rejected') throw result.reason
}
