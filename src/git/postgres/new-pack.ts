/** Builds the pack of new objects: a few in memory, many in files through Git. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { GitError } from '../errors.js'
import { type PackEntry, packEntry, packHeader, packIndex, type RawEntry } from '../objects/pack-format.js'
import type { EncodedObject } from '../objects/hash.js'
import type { Launcher } from '../process/launcher.js'
import { CHUNK_BYTES } from './schema.js'

/** One of the two files of a pack. */
export interface PackPart {
  readonly bytes: number
  /** Its bytes in chunks of at most `CHUNK_BYTES`. Can be read repeatedly. */
  chunks(): AsyncIterable<Buffer> | Iterable<Buffer>
}

export interface NewPack {
  readonly pack: PackPart
  readonly index: PackPart
  /** Deletes its files, if there are any. */
  remove(): Promise<void>
}

const PACKING_MS = 3_600_000

function inMemory(bytes: Buffer): PackPart {
  const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, n) =>
    bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES),
  )
  return { bytes: bytes.length, chunks: () => chunks }
}

/** Returns a pack of objects in memory. */
export async function packOf(objects: readonly EncodedObject[]): Promise<NewPack> {
  const entries: RawEntry[] = []
  for (const object of objects) entries.push({ oid: object.oid, bytes: await packEntry(object) })
  return packOfEntries(entries)
}

/** Returns a pack of entries in memory. */
export function packOfEntries(raw: readonly RawEntry[]): NewPack {
  const header = packHeader(raw.length)
  let offset = header.length
  const entries = raw.map(({ oid, bytes }): PackEntry => {
    offset += bytes.length
    return { oid, offset: offset - bytes.length, crc: crc32(bytes) }
  })
  const body = Buffer.concat([header, ...raw.map(({ bytes }) => bytes)])
  const checksum = createHash('sha1').update(body).digest()
  return {
    pack: inMemory(Buffer.concat([body, checksum])),
    index: inMemory(packIndex(entries, checksum)),
    remove: async () => {},
  }
}

/**
 * Lets Git pack the objects that `tips` need and `published` does not contain, in the repository or in the folder
 * `outside`. Returns null if there are none. Throws `GitError` if an object is missing.
 */
export async function packByGit(
  repository: { path: string; launcher: Launcher; outside?: string },
  tips: readonly string[],
  published: readonly string[],
): Promise<NewPack | null> {
  // A crash may leave this folder behind. `git prune` deletes old folders with such a name.
  const folder = await mkdtemp(join(repository.outside ?? join(repository.path, 'objects'), 'tmp_objdir-outgoing-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const input = `${tips.join('\n')}\n--not\n${published.join('\n')}\n`
    const args = ['pack-objects', '--revs', '--quiet', '--delta-base-offset', join(folder, 'pack')]
    const said = (await repository.launcher.mustRun(args, { cwd: repository.path, input, timeoutMs: PACKING_MS }))
      .toString('latin1')
      .trim()
    if (said === '') {
      await remove()
      return null
    }
    if (!/^[0-9a-f]{40}$/.test(said))
      throw new GitError(`git pack-objects in ${repository.path} wrote more than one pack`)
    const [pack, index] = await Promise.all([
      inFile(join(folder, `pack-${said}.pack`)),
      inFile(join(folder, `pack-${said}.idx`)),
    ])
    return { pack, index, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function inFile(path: string): Promise<PackPart> {
  const { size } = await stat(path)
  return { bytes: size, chunks: () => chunksOf(path) }
}

/** Yields chunks of exactly `CHUNK_BYTES`; the last may be shorter. */
async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) yield chunk
}
