/** Reads the commits of refs from loose files and packed-refs. */
import { errorCode } from '../../kernel/thrown.js'
import { type BigIntStats, closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type CommitId, isOid, type RefName } from '../../kernel/ids.js'
import type { BoundedCache } from '../../kernel/memory-budget.js'
import { DamagedRepository } from '../errors.js'
import { isRefName } from './name.js'
import { PackedRefs, type ReadRefs } from './packed.js'

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])
const MAX_DEPTH = 5

/**
 * Minimum age of a file's times, in milliseconds, at which a later change certainly gives it newer times: no file
 * system has a resolution of more than two seconds. A younger file may have the same times with two contents. The times
 * are read before the content.
 */
const SETTLED_MS = 2500
/**
 * The same minimum age on a file system with a resolution below a millisecond. Its times come from the kernel's clock,
 * which ticks a hundred times a second or more.
 */
const SETTLED_EXACT_MS = 100
const MAX_SETTLED = 16
const NS_PER_MS = 1_000_000n
const EXACT = { bigint: true, throwIfNoEntry: false } as const

/** Compares files, including the change time of the inode, which no program can set. */
const isSameFile = (a: BigIntStats, b: BigIntStats): boolean =>
  a.ctimeNs === b.ctimeNs && a.ino === b.ino && a.mtimeNs === b.mtimeNs && a.size === b.size

/** Buffer for one read. It is larger than any ref, except for symbolic ones with a very long name. */
const SHORT = Buffer.allocUnsafe(512)

/**
 * Returns the text of a file with three system calls, or null if it does not fit. Every page read needs this at least
 * once.
 */
function readShort(path: string): string | null {
  const file = openSync(path, 'r')
  try {
    const length = readSync(file, SHORT, 0, SHORT.length, 0)
    return length < SHORT.length ? SHORT.toString('utf8', 0, length) : null
  } finally {
    closeSync(file)
  }
}

/**
 * Reads refs from the disk each time (only the times of a file, if they prove that it is unchanged): the loose file
 * first, then packed-refs, as Git does. `pack-refs` removes the loose file only after packed-refs has its value, so in
 * this order no older value is read after a newer one. If both are missing, the loose file is tried again: the ref may
 * have been deleted and created again in between.
 */
export class RefReader {
  readonly #packed: PackedRefs
  /** The texts of refs whose file had been unchanged for a while when it was read. */
  // bound: MAX_SETTLED
  readonly #settled = new Map<string, { path: string; stat: BigIntStats; text: string }>()

  constructor(
    readonly repository: string,
    kept?: BoundedCache<ReadRefs>,
  ) {
    this.#packed = new PackedRefs(repository, kept)
  }

  /** Returns the commit that `ref` names, or null. Follows symbolic refs. */
  head(ref: string): CommitId | null {
    return this.#resolve(ref, MAX_DEPTH)
  }

  /** Returns all refs whose name starts with `prefix`. */
  list(prefix: string): Map<RefName, CommitId> {
    const loose = new Set<string>()
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    this.#looseNames(folder.startsWith('refs/') ? folder : 'refs/', loose)
    const packed = this.#packed.read()
    const found = new Map<RefName, CommitId>()
    for (const name of [...new Set([...loose, ...packed.keys()])].sort()) {
      if (!name.startsWith(prefix) || !isRefName(name)) continue
      // Skip the loose file if the folder did not contain it. With thousands of refs, checking again would take most of
      // the time.
      const head = loose.has(name) ? this.head(name) : this.#resolve(name, MAX_DEPTH, packed.get(name))
      if (head) found.set(name, head)
    }
    return found
  }

  /** Whether a ref's own file names another ref. */
  isSymbolic(ref: string): boolean {
    return isRefName(ref) && (this.#loose(ref)?.startsWith('ref: ') ?? false)
  }

  /**
   * Whether there is a ref below `ref`, or one that `ref` would be below. Checks loose files first, for the reason
   * given above.
   */
  collides(ref: string): boolean {
    const loose = new Set<string>()
    this.#looseNames(`${ref}/`, loose)
    return loose.size > 0 || this.#packed.collides(ref)
  }

  #resolve(ref: string, depth: number, known?: string): CommitId | null {
    // The name of a settled ref was checked when it was first read.
    if (depth === 0 || !(this.#settled.has(ref) || isRefName(ref))) return null
    const text = known ?? this.#loose(ref) ?? this.#packed.read().get(ref) ?? this.#loose(ref)
    if (text === undefined || text === null) return null
    if (text.startsWith('ref: ')) return this.#resolve(text.slice(5).trim(), depth - 1)
    const oid = text.trim()
    if (!isOid(oid))
      throw new DamagedRepository(`${ref} in ${this.repository} is damaged: it does not contain an object ID`)
    return oid
  }

  #loose(ref: string): string | null {
    const known = this.#settled.get(ref)
    const path = known?.path ?? `${this.repository}/${ref}`
    try {
      const stat = statSync(path, EXACT)
      if (stat === undefined) return null
      if (known && isSameFile(known.stat, stat)) return known.text
      const text = readShort(path) ?? readFileSync(path, 'utf8')
      this.#keepSettled(ref, { path, stat, text })
      return text
    } catch (error) {
      if (ABSENT.has(errorCode(error) ?? '')) return null
      throw error
    }
  }

  #keepSettled(ref: string, read: { path: string; stat: BigIntStats; text: string }): void {
    if (this.#settled.size >= MAX_SETTLED) this.#settled.clear()
    const { ctimeNs } = read.stat
    const settledMs = ctimeNs % NS_PER_MS === 0n ? SETTLED_MS : SETTLED_EXACT_MS
    if (Date.now() - Number(ctimeNs / NS_PER_MS) > settledMs) this.#settled.set(ref, read)
    else this.#settled.delete(ref)
  }

  #looseNames(folder: string, into: Set<string>): void {
    try {
      for (const entry of readdirSync(join(this.repository, folder), { withFileTypes: true })) {
        if (entry.isDirectory()) this.#looseNames(`${folder}${entry.name}/`, into)
        else into.add(`${folder}${entry.name}`)
      }
    } catch (error) {
      if (!ABSENT.has(errorCode(error) ?? '')) throw error
    }
  }
}
