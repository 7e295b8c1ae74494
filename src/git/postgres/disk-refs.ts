/** The refs on the disk of a node: made equal to those of the database, and looked through for what somebody else moved. */
import { existsSync, rmSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type Disk, syncPath, writeSynced } from '../objects/disk.js'
import type { RefMover } from '../refs/mover.js'
import type { RefReader } from '../refs/reader.js'
import type { RefMove } from '../types.js'

/** From so many new refs on, a repository without packed refs gets them packed: else each is a file. */
const PACKED_FROM = 50

/** The parts of a repository that its refs on the disk belong to. */
export interface RefsOnDisk {
  path: string
  disk: Disk
  mover: RefMover
  reader: RefReader
}

/** A ref that has another value than it should have. */
export interface Deviation {
  ref: RefName
  /** What the disk says. */
  found: CommitId | null
  /** What the database says. */
  wanted: CommitId | null
}

/** The refs of the disk, all of them, that differ from `wanted`. */
export function deviations(reader: RefReader, wanted: ReadonlyMap<RefName, CommitId>): Deviation[] {
  const found = reader.list('refs/')
  const other: Deviation[] = []
  for (const [ref, commit] of found)
    if (wanted.get(ref) !== commit || reader.isSymbolic(ref))
      other.push({ ref, found: commit, wanted: wanted.get(ref) ?? null })
  for (const [ref, commit] of wanted) if (!found.has(ref)) other.push({ ref, found: null, wanted: commit })
  return other
}

/** Gives refs of the disk the values that they should have. Throws `StaleRef` if somebody moves one meanwhile, `RefLocked`, `GitError`: then some may have them and others not. */
export async function putRight(on: RefsOnDisk, all: readonly Deviation[], reason: string): Promise<void> {
  const plain = all.map((one) => (on.reader.isSymbolic(one.ref) ? unlink(on, one) : one))
  if (await packed(on, plain)) return
  // Deletions first: a new ref may have the name of a folder of old ones.
  const [deleted, set] = [plain.filter(({ wanted }) => wanted === null), plain.filter(({ wanted }) => wanted !== null)]
  for (const some of [deleted, set]) await moveTo(on, some, reason)
}

/** Removes a ref that names another one: to move it would move that. Under it there may be a packed one. */
function unlink({ path, reader }: RefsOnDisk, { ref, wanted }: Deviation): Deviation {
  rmSync(join(path, ref), { force: true })
  return { ref, found: reader.head(ref), wanted }
}

async function moveTo({ mover }: RefsOnDisk, all: readonly Deviation[], reason: string): Promise<void> {
  const moves = all.flatMap(({ ref, found, wanted }): RefMove[] =>
    found === wanted ? [] : [{ ref, from: found, to: wanted }],
  )
  if (moves.length > 0) await mover.move(moves, reason)
}

/** Fills a repository that has no refs by one file. Returns whether that could be done. */
async function packed({ path, disk, reader }: RefsOnDisk, all: readonly Deviation[]): Promise<boolean> {
  const set = all.filter(({ wanted }) => wanted !== null)
  if (
    set.length < PACKED_FROM ||
    set.length < all.length ||
    existsSync(join(path, 'packed-refs')) ||
    reader.list('refs/').size > 0
  )
    return false
  const lines = set.sort((a, b) => (a.ref < b.ref ? -1 : 1)).map(({ ref, wanted }) => `${wanted} ${ref}\n`)
  const lock = join(path, 'packed-refs.lock')
  try {
    await writeSynced(disk, lock, [Buffer.from(`# pack-refs with: sorted \n${lines.join('')}`)], 0o644)
  } catch {
    // Somebody else has the lock: each ref is moved by itself.
    return false
  }
  await disk.rename(lock, join(path, 'packed-refs'))
  await syncPath(disk, path)
  return true
}

/** Tells whether a ref may have changed on the disk: of whatever Git changes, the time of its folder or that of packed-refs changes. */
export class DiskRefStamps {
  // bound: the folders below refs/
  #folders: string[] = []
  #stamp: string | null = null

  constructor(readonly path: string) {}

  /** Whether nothing changed since `take`; null if the repository is gone. */
  unchanged(): boolean | null {
    if (!existsSync(join(this.path, 'HEAD'))) return null
    return this.#stamp !== null && this.#stamp === this.#now()
  }

  /** Call it before the refs are read. */
  async take(): Promise<void> {
    const below = await readdir(join(this.path, 'refs'), { recursive: true, withFileTypes: true })
    this.#folders = [
      '',
      ...below
        .filter((one) => one.isDirectory())
        .map((one) => join(one.parentPath, one.name).slice(join(this.path, 'refs').length)),
    ]
    this.#stamp = this.#now()
  }

  /** Refs were moved here: what else changed meanwhile cannot be told. */
  forget(): void {
    this.#stamp = null
  }

  #now(): string {
    const files = ['packed-refs', ...this.#folders.map((folder) => `refs${folder}`)]
    return files
      .map((file) => String(statSync(join(this.path, file), { bigint: true, throwIfNoEntry: false })?.ctimeNs ?? 0n))
      .join(' ')
  }
}
