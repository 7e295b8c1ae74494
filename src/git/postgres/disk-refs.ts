/** The refs on the disk of a node: finds refs that differ from the database, and resets them. */
import { existsSync, rmSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type Disk, syncPath, writeSynced } from '../objects/disk.js'
import type { RefMover } from '../refs/mover.js'
import type { RefReader } from '../refs/reader.js'
import type { RefMove } from '../types.js'

/**
 * From this number of new refs on, an empty repository gets a packed-refs file. Otherwise, each ref would be a file.
 */
const PACKED_FROM = 50

/** The parts of a repository that work with its refs on the disk. */
export interface RefsOnDisk {
  path: string
  disk: Disk
  mover: RefMover
  reader: RefReader
}

/** A ref whose value on the disk differs from the database. */
export interface Deviation {
  ref: RefName
  /** The value on the disk. */
  actual: CommitId | null
  /** The value in the database. */
  expected: CommitId | null
}

/** Returns all refs on the disk that differ from the database, whose refs are `wanted`. */
export function findDeviations(reader: RefReader, wanted: ReadonlyMap<RefName, CommitId>): Deviation[] {
  const found = reader.list('refs/')
  const other: Deviation[] = []
  for (const [ref, commit] of found)
    if (wanted.get(ref) !== commit || reader.isSymbolic(ref))
      other.push({ ref, actual: commit, expected: wanted.get(ref) ?? null })
  for (const [ref, commit] of wanted) if (!found.has(ref)) other.push({ ref, actual: null, expected: commit })
  return other
}

/**
 * Resets refs on the disk to the values of the database. Throws `StaleRef` if another process moves one of them,
 * `RefLocked`, `GitError`. After an error, some refs may be reset and others not.
 */
export async function resetRefs(on: RefsOnDisk, all: readonly Deviation[], reason: string): Promise<void> {
  const plain = all.map((one) => (on.reader.isSymbolic(one.ref) ? unlink(on, one) : one))
  if (await writePackedRefs(on, plain)) return
  // Deletions first: a new ref may have the name of the folder of a deleted ref.
  const [deleted, set] = [
    plain.filter(({ expected }) => expected === null),
    plain.filter(({ expected }) => expected !== null),
  ]
  for (const some of [deleted, set]) await moveTo(on, some, reason)
}

/** Removes a symbolic ref, since moving it would move its target. A packed ref with the same name may remain. */
function unlink({ path, reader }: RefsOnDisk, { ref, expected: wanted }: Deviation): Deviation {
  rmSync(join(path, ref), { force: true })
  return { ref, actual: reader.head(ref), expected: wanted }
}

async function moveTo({ mover }: RefsOnDisk, all: readonly Deviation[], reason: string): Promise<void> {
  const moves = all.flatMap(({ ref, actual, expected }): RefMove[] =>
    actual === expected ? [] : [{ ref, from: actual, to: expected }],
  )
  if (moves.length > 0) await mover.move(moves, reason)
}

/** Writes all refs into one packed-refs file if the repository has no refs. Returns whether it did. */
async function writePackedRefs({ path, disk, reader }: RefsOnDisk, all: readonly Deviation[]): Promise<boolean> {
  const set = all.filter(({ expected }) => expected !== null)
  if (
    set.length < PACKED_FROM ||
    set.length < all.length ||
    existsSync(join(path, 'packed-refs')) ||
    reader.list('refs/').size > 0
  )
    return false
  const lines = set.sort((a, b) => (a.ref < b.ref ? -1 : 1)).map(({ ref, expected }) => `${expected} ${ref}\n`)
  const lock = join(path, 'packed-refs.lock')
  try {
    await writeSynced(disk, lock, [Buffer.from(`# pack-refs with: sorted \n${lines.join('')}`)], 0o644)
  } catch {
    // Another process has the lock. Move each ref separately.
    return false
  }
  await disk.rename(lock, join(path, 'packed-refs'))
  await syncPath(disk, path)
  return true
}

/**
 * Detects whether a ref may have changed on the disk. Any change by Git changes the time of the ref's folder or of
 * packed-refs.
 */
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

  /** Records the current times. Call it before the refs are read. */
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

  /** Discards the recorded times. Call it when this node moves refs: other changes can no longer be detected. */
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
