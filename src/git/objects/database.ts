import { type CommitId, isOid } from '../../kernel/ids.js'
import { GitError, MissingObject, ObjectTooLarge } from '../errors.js'
import type { Pool } from '../process/pool.js'
import type { CommitInfo } from '../types.js'
import type { Caches } from './caches.js'
import { findInfo, findPacked } from './cat-file.js'
import { parseCommit } from './commit-codec.js'
import { EMPTY_TREE, type EncodedObject, type ObjectType } from './hash.js'
import { findLoose, type RawObject } from './loose.js'
import { emptyTree, parseTree, type Tree } from './tree-codec.js'

const MAX_TREE_BYTES = 64 * 1024 * 1024
const MAX_COMMIT_BYTES = 64 * 1024 * 1024
const SIZES_AT_ONCE = 500

/** Reads the objects of one repository: from the caches, else loose in process, else through its `git cat-file`. */
export class ObjectDatabase {
  /** Objects that are being written: nobody but this process can read them yet. */
  // bound: writes under way
  readonly pending = new Map<string, { type: ObjectType; object: EncodedObject }>()

  constructor(
    readonly repository: string,
    /** Tells this opening of the repository from every other in the shared caches. */
    readonly cacheKey: string,
    readonly pool: Pool,
    readonly caches: Caches,
    readonly maxBlobBytes: number,
  ) {}

  /** A blob's bytes, not to be written to. Throws `MissingObject`, `ObjectTooLarge`. */
  async blob(oid: string): Promise<Buffer> {
    const key = this.cacheKey + oid
    const known = this.caches.blobs.get(key)
    if (known) return known
    const content = await this.#get(oid, 'blob', this.maxBlobBytes)
    this.caches.blobs.set(key, content)
    this.caches.sizes.set(key, content.length)
    return content
  }

  /** A folder. Throws `MissingObject`. */
  async tree(oid: string): Promise<Tree> {
    if (oid === EMPTY_TREE) return emptyTree
    const known = this.caches.trees.get(this.cacheKey + oid)
    if (known) return known
    const tree = parseTree(await this.#get(oid, 'tree', MAX_TREE_BYTES))
    this.caches.trees.set(this.cacheKey + oid, tree)
    return tree
  }

  /** A commit that is cached, without asking the disk. */
  knownCommit(id: string): CommitInfo | undefined {
    return this.caches.commits.get(this.cacheKey + id)
  }

  /** Throws `MissingObject` where there is no such commit. */
  async commit(id: string): Promise<CommitInfo> {
    const known = this.knownCommit(id)
    if (known) return known
    const commit = parseCommit(id as CommitId, await this.#get(id, 'commit', MAX_COMMIT_BYTES))
    this.caches.commits.set(this.cacheKey + id, commit)
    return commit
  }

  async hasCommit(id: string): Promise<boolean> {
    try {
      await this.commit(id)
      return true
    } catch (error) {
      if (error instanceof MissingObject) return false
      throw error
    }
  }

  /** Type and size, or null where the object is not here. */
  async info(oid: string): Promise<{ type: ObjectType; size: number } | null> {
    const pending = this.pending.get(oid)
    if (pending) return { type: pending.type, size: pending.object.content.length }
    return isOid(oid) ? findInfo(this.pool, this.repository, oid) : null
  }

  /** Sizes of blobs in bytes. Throws `MissingObject`. */
  async sizes(oids: readonly string[]): Promise<number[]> {
    const sizes: number[] = []
    for (let at = 0; at < oids.length; at += SIZES_AT_ONCE) sizes.push(...(await Promise.all(oids.slice(at, at + SIZES_AT_ONCE).map((oid) => this.#size(oid)))))
    return sizes
  }

  async #size(oid: string): Promise<number> {
    const known = this.caches.sizes.get(this.cacheKey + oid)
    if (known !== undefined) return known
    const info = await this.info(oid)
    if (info?.type !== 'blob') throw new MissingObject(`there is no blob ${oid}`)
    this.caches.sizes.set(this.cacheKey + oid, info.size)
    return info.size
  }

  async #get(oid: string, type: ObjectType, maxBytes: number): Promise<Buffer> {
    const pending = this.pending.get(oid)
    if (pending?.type === type) {
      const { buffer, byteOffset, length } = pending.object.content
      return Buffer.from(buffer, byteOffset, length)
    }
    const found = isOid(oid) ? await this.#find(oid, maxBytes) : null
    if (found?.type !== type) throw new MissingObject(`there is no ${type} ${oid}`)
    return found.content
  }

  /** Loose, packed, and loose again: a repack may unpack it in between. */
  async #find(oid: string, maxBytes: number): Promise<RawObject | null> {
    const loose = await this.#findUndamaged(oid, maxBytes)
    return loose ?? (await findPacked(this.pool, this.repository, oid, maxBytes)) ?? (await findLoose(this.repository, oid, maxBytes))
  }

  /** A damaged loose object may have a sound copy in a pack. */
  async #findUndamaged(oid: string, maxBytes: number): Promise<RawObject | null> {
    try {
      return await findLoose(this.repository, oid, maxBytes)
    } catch (error) {
      if (error instanceof ObjectTooLarge || !(error instanceof GitError)) throw error
      return null
    }
  }
}
