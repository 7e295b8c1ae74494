/** Joins small packs, so that a repository to which many batches are written does not collect thousands of them. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../errors.js'
import { type Disk, errorCode, inParallel } from './disk.js'
import { entriesOf, type RawEntry } from './pack-format.js'
import { type WrittenPack, writePack } from './pack-writer.js'

/** Packs of one size class that are joined into one. */
const MANY = 16
/** Upper bounds of the size classes, in bytes. Larger packs are left to the maintenance. */
const CLASSES = [64 * 1024, 1024 * 1024]
/** Largest pack that the maintenance joins without Git, and most bytes that it joins at once. */
const SMALL = 4 * 1024 * 1024
const MOST = 64 * 1024 * 1024
/** Files up to this size are read synchronously: that takes less than handing them to a thread. */
const READ_AT_ONCE = 64 * 1024
const WIDTH = 8

/** A pack that took the place of others, and the names of its objects. */
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

  /** Notes a pack, and joins those of a size class when there are many. Returns the pack that has the objects of `pack` and others then, if it is another. */
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

/** The names of the small packs of a folder, whoever wrote them. */
export async function smallPacksIn(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  const small: string[] = []
  let total = 0
  for (const name of names.filter((one) => one.endsWith('.pack'))) {
    const stem = name.slice(0, -'.pack'.length)
    // Further files (`.keep`, `.rev`, `.bitmap`, `.promisor`, `.mtimes`) say that somebody else has plans for the pack.
    if (names.filter((one) => one.startsWith(`${stem}.`)).length !== 2 || !names.includes(`${stem}.idx`)) continue
    const size = await sizeOf(join(folder, name))
    if (size === null || size > SMALL || total + size > MOST) continue
    total += size
    small.push(name)
  }
  return small
}

/** Null if the file is gone: a write, or somebody's repack, has just joined it with others. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return null
  }
}

/**
 * Writes the objects of packs into one new pack, then removes them. Nobody else may remove packs meanwhile. Readers who have one of them open go on; others look for what is
 * there now. Returns null if there were not two that can be joined: those with deltas or a `.keep` file, and damaged or
 * missing ones, stay as they are.
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
  await inParallel(
    joined.filter((one) => one !== into.name),
    WIDTH,
    async (name) => {
      // What it holds is being written a second time, and no ref names it yet.
      if (isKept(folder, name)) return
      for (const path of [indexOf(name), name])
        await disk.unlink(join(folder, path)).catch((error: unknown) => {
          if (errorCode(error) !== 'ENOENT') throw error
        })
    },
  )
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
