/** Joins small packs, so that a repository with many write batches does not collect thousands of them. */
import { errorCode } from '../../kernel/thrown.js'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../errors.js'
import type { Disk } from './disk.js'
import { entriesOf, type RawEntry } from './pack-format.js'
import { type WrittenPack, writePack } from './pack-writer.js'

/** Number of packs of one size class at which they are joined. */
const MANY = 16
/** Upper bounds of the size classes in bytes. Larger packs are left to maintenance. */
const CLASSES = [64 * 1024, 1024 * 1024]
/** Maximum size of a pack that maintenance joins without Git, and maximum number of bytes joined at once. */
const SMALL = 4 * 1024 * 1024
const MOST = 64 * 1024 * 1024
/** Maximum size of a file that is read synchronously, which takes less time than handing it to a thread. */
const READ_AT_ONCE = 64 * 1024

/** A pack that replaced others, and the IDs of its objects. */
export interface JoinedPack extends WrittenPack {
  oids: readonly string[]
}

/** The small packs that this process has written into one repository. */
export class SmallPacks {
  // bound: MANY packs of each size class
  readonly #packs: WrittenPack[] = []

  constructor(
    readonly folder: string,
    readonly disk: Disk,
  ) {}

  /**
   * Registers a pack, and joins the packs of a size class if there are many. If `pack` was joined, returns the pack
   * that now has its objects.
   */
  async add(pack: WrittenPack): Promise<JoinedPack | null> {
    const limit = CLASSES.find((bytes) => pack.bytes <= bytes)
    if (limit === undefined || this.#packs.some(({ name }) => name === pack.name)) return null
    this.#packs.push(pack)
    const floor = CLASSES[CLASSES.indexOf(limit) - 1] ?? 0
    const same = this.#packs.filter(({ bytes }) => bytes <= limit && bytes > floor)
    if (same.length < MANY) return null
    for (const one of same) this.#packs.splice(this.#packs.indexOf(one), 1)
    const into = await joinPacks(
      this.disk,
      this.folder,
      same.map(({ name }) => name),
    )
    return into && ((await this.add(into)) ?? into)
  }
}

/** Returns the names of all small packs in a folder. */
export async function smallPacksIn(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  const small: string[] = []
  let total = 0
  for (const name of names.filter((one) => one.endsWith('.pack'))) {
    const stem = name.slice(0, -'.pack'.length)
    // Additional files (`.keep`, `.rev`, `.bitmap`, `.promisor`, `.mtimes`) mean that another process manages the pack.
    if (names.filter((one) => one.startsWith(`${stem}.`)).length !== 2 || !names.includes(`${stem}.idx`)) continue
    const size = await sizeOf(join(folder, name))
    if (size === null || size > SMALL || total + size > MOST) continue
    total += size
    small.push(name)
  }
  return small
}

/** Returns the file size. Null if the file does not exist: a write or a repack has just joined the pack with others. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return null
  }
}

/**
 * Writes the objects of packs into one new pack, then removes the old packs. No other process may remove packs at the
 * same time. Readers that have an old pack open continue; others find the new pack. Returns null if fewer than two
 * packs can be joined. Packs with deltas or a `.keep` file, and damaged or missing packs, stay as they are.
 */
export async function joinPacks(disk: Disk, folder: string, names: readonly string[]): Promise<JoinedPack | null> {
  const entries = new Map<string, RawEntry>()
  const joined: string[] = []
  for (const name of names) {
    if (isKept(folder, name)) continue
    const found = await readEntries(folder, name)
    if (found === null) continue
    joined.push(name)
    for (const entry of found) if (!entries.has(entry.oid)) entries.set(entry.oid, entry)
  }
  if (joined.length < 2) return null
  const into = await writePack(disk, folder, entries.size, entries.values())
  // One after another: each deletion holds the lock of the folder, for which writes wait as well.
  for (const name of joined) {
    // Kept: another write is storing the same objects again, and no ref names them yet.
    if (name === into.name || isKept(folder, name)) continue
    for (const path of [indexOf(name), name])
      await disk.unlink(join(folder, path)).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error
      })
  }
  return { ...into, oids: [...entries.keys()] }
}

const isKept = (folder: string, pack: string): boolean => existsSync(join(folder, pack.replace(/\.pack$/, '.keep')))

const indexOf = (pack: string): string => pack.replace(/\.pack$/, '.idx')

const readPart = async (path: string): Promise<Buffer> =>
  statSync(path).size <= READ_AT_ONCE ? readFileSync(path) : readFile(path)

async function readEntries(folder: string, name: string): Promise<RawEntry[] | null> {
  try {
    const [pack, index] = await Promise.all([readPart(join(folder, name)), readPart(join(folder, indexOf(name)))])
    return entriesOf(pack, index)
  } catch (error) {
    if (error instanceof GitError || errorCode(error) === 'ENOENT') return null
    throw error
  }
}
