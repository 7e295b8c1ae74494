import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommitId, isOid, type RefName } from '../../kernel/ids.js'
import type { BoundedCache } from '../../kernel/memory-budget.js'
import { GitError } from '../errors.js'
import { errorCode } from '../objects/disk.js'
import { isRefName } from './name.js'
import { PackedRefs, type ReadRefs } from './packed.js'

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])
const MAX_DEPTH = 5

/**
 * Reads refs from the disk, each time. Loose first, then packed, as Git itself: `pack-refs` removes the loose file only
 * after the packed one holds its value, so a reader in this order never sees an older value after a newer one. Where
 * both are absent, loose again: the ref may have been deleted from packed-refs and made anew between the two.
 */
export class RefReader {
  readonly #packed: PackedRefs

  constructor(
    readonly repository: string,
    kept?: BoundedCache<ReadRefs>,
  ) {
    this.#packed = new PackedRefs(repository, kept)
  }

  /** What `ref` names, or null. Symbolic refs are followed. */
  head(ref: string): CommitId | null {
    return this.#resolve(ref, MAX_DEPTH)
  }

  /** All refs whose name begins with `prefix`. */
  list(prefix: string): Map<RefName, CommitId> {
    const loose = new Set<string>()
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    this.#looseNames(folder.startsWith('refs/') ? folder : 'refs/', loose)
    const packed = this.#packed.read()
    const found = new Map<RefName, CommitId>()
    for (const name of [...new Set([...loose, ...packed.keys()])].sort()) {
      if (!name.startsWith(prefix) || !isRefName(name)) continue
      // What was packed alone when the folder was read needs no look for a file, which for thousands takes most of the time.
      const head = loose.has(name) ? this.head(name) : this.#resolve(name, MAX_DEPTH, packed.get(name))
      if (head) found.set(name as RefName, head)
    }
    return found
  }

  #resolve(ref: string, depth: number, known?: string): CommitId | null {
    if (!isRefName(ref) || depth === 0) return null
    const text = known ?? this.#loose(ref) ?? this.#packed.read().get(ref) ?? this.#loose(ref)
    if (text === undefined || text === null) return null
    if (text.startsWith('ref: ')) return this.#resolve(text.slice(5).trim(), depth - 1)
    const oid = text.trim()
    if (!isOid(oid)) throw new GitError(`${ref} in ${this.repository} is damaged`)
    return oid as CommitId
  }

  #loose(ref: string): string | null {
    try {
      // As UTF-8, which Node reads in one call instead of four; a ref is plain ASCII or damaged.
      return readFileSync(`${this.repository}/${ref}`, 'utf8')
    } catch (error) {
      if (ABSENT.has(errorCode(error) ?? '')) return null
      throw error
    }
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
