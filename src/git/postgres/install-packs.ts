/** Installs packs from the database into the repository of this node. */
import { required } from '../../kernel/defined.js'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { newId } from '../../kernel/ids.js'
import type { Session } from '../../postgres/index.js'
import { GitError } from '../errors.js'
import { type Disk, syncPath, writeSynced } from '../objects/disk.js'
import { entriesOf, type RawEntry } from '../objects/pack-format.js'
import { writePack } from '../objects/pack-writer.js'
import type { PackFolder } from '../repository.js'
import { INDEX, PACK, readChunks, readSmallPacks, type StoredPack } from './stored-packs.js'
import { CHUNK_BYTES } from './schema.js'

/** Maximum number of bytes of small packs that are read at once. */
const MAX_BYTES = 8 * 1024 * 1024
const SUM_BYTES = 20

/** A listed pack is no longer in the database: its objects are now in other packs. */
export class PackGone extends GitError {}

const isSmall = ({ bytes, indexBytes }: StoredPack): boolean => bytes <= CHUNK_BYTES && indexBytes <= CHUNK_BYTES

/**
 * Installs packs durably. A reader finds all of a pack or nothing. No repack deletes the pack before the refs on the
 * disk are up to date. Throws `PackGone`, `GitError` if a pack is damaged, `DatabaseAway`.
 */
export async function installPacks(session: Session, place: PackFolder, packs: readonly StoredPack[]): Promise<void> {
  for (const pack of packs.filter((one) => !isSmall(one))) await installLarge(session, place, pack)
  const small = packs.filter(isSmall)
  while (small.length > 0) {
    let bytes = 0
    const few: StoredPack[] = []
    do few.push(required(small.shift()))
    while (small[0] && (bytes += small[0].bytes) < MAX_BYTES)
    await installSmall(session, place, few)
  }
  await place.writer.joinPacks()
}

/** Joins small packs into one, so that a node which was offline for a while does not get hundreds of files. */
async function installSmall(session: Session, place: PackFolder, packs: readonly StoredPack[]): Promise<void> {
  const found = await readSmallPacks(
    session,
    packs.map(({ id }) => id),
  )
  const entries = new Map<string, RawEntry>()
  for (const { id } of packs) {
    const read = found.get(id)
    if (!read) throw new PackGone(`pack ${id} was replaced`)
    const own = entriesOf(read.pack, read.index)
    // The pack contains deltas from Git, so it stays a separate pack.
    if (own === null) await install(place, [read.pack], [read.index])
    else for (const entry of own) entries.set(entry.oid, entry)
  }
  if (entries.size === 0) return
  const { folder, kept } = place.writer.packs
  const written = await writePack(place.disk, folder, entries.size, entries.values(), kept)
  kept.untilFollowed(written.stem, written)
}

async function installLarge(session: Session, place: PackFolder, { id, bytes, indexBytes }: StoredPack): Promise<void> {
  await install(
    place,
    whole(readChunks(session, id, PACK), id, bytes),
    whole(readChunks(session, id, INDEX), id, indexBytes),
  )
}

/** Yields the chunks. Throws `PackGone` if there are fewer bytes than expected. */
async function* whole(chunks: AsyncIterable<Buffer>, id: string, bytes: number): AsyncGenerator<Buffer> {
  let read = 0
  for await (const chunk of chunks) {
    read += chunk.length
    yield chunk
  }
  if (read !== bytes) throw new PackGone(`pack ${id} was replaced`)
}

/**
 * Writes both files under temporary names, which `git prune` deletes when they are old. Then renames them to their
 * final names, the index last.
 */
async function install(
  { disk, writer }: PackFolder,
  pack: AsyncIterable<Buffer> | Iterable<Buffer>,
  index: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  const { folder, kept } = writer.packs
  const id = newId()
  const temporary = [join(folder, `tmp_pack_${id}`), join(folder, `tmp_idx_${id}`)] as const
  try {
    const checksum = await writeChecked(disk, temporary[0], pack)
    await writeChecked(disk, temporary[1], index)
    const stem = `pack-${checksum}`
    await kept.begin(stem)
    kept.untilFollowed(stem, null)
    await disk.rename(temporary[0], join(folder, `${stem}.pack`))
    await disk.rename(temporary[1], join(folder, `${stem}.idx`))
    await syncPath(disk, folder)
  } finally {
    for (const file of temporary) await disk.unlink(file).catch(() => {})
  }
}

/** Writes a file that ends with a checksum, and returns the checksum. Throws `GitError` if it does not match. */
async function writeChecked(
  disk: Disk,
  path: string,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<string> {
  const hash = createHash('sha1')
  let last: Buffer = Buffer.alloc(0)
  async function* summed(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      const both = Buffer.concat([last, chunk])
      const end = Math.max(0, both.length - SUM_BYTES)
      hash.update(both.subarray(0, end))
      last = Buffer.from(both.subarray(end))
      yield chunk
    }
  }
  await writeSynced(disk, path, summed(), 0o444)
  if (!hash.digest().equals(last)) throw new GitError('a pack in the database is damaged: its checksum does not match')
  return last.toString('hex')
}
