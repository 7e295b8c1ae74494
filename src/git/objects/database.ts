/**
 * Reads blobs, trees and commits of a repository, no matter where they are: cache, loose file, merge scratch folder or
 * pack.
 */
import { required } from '../../kernel/defined.js'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isOid, asOid } from '../../kernel/ids.js'
import { ownBytes } from '../../kernel/memory-budget.js'
import { Slices } from '../../kernel/slices.js'
import { GitError, LostObject, MissingObject, ObjectTooLarge } from '../errors.js'
import type { PackLookup, PackedObjects } from '../packs/packed-objects.js'
import type { Pool } from '../process/pool.js'
import type { CommitInfo } from '../types.js'
import type { RepositoryCaches } from './caches.js'
import { findInfo, findPacked, forgetProcess } from './cat-file.js'
import { parseCommit } from './parse-commit.js'
import { inParallel } from './disk.js'
import { EMPTY_TREE, type EncodedObject, encodeObject, MAX_OBJECT_BYTES, type ObjectType } from './hash.js'
import { findLoose, findLooseInfo, loosePath, type ObjectInfo, type RawObject } from './loose.js'
import type { Scratch } from './scratch.js'
import { emptyTree, encodeTree, parseTree, type Tree } from './tree-codec.js'

const MAX_TREE_BYTES = 64 * 1024 * 1024
const MAX_COMMIT_BYTES = 64 * 1024 * 1024
const SIZES_AT_ONCE = 500
const READS_AT_ONCE = 16

/** The sources in which an `ObjectDatabase` finds objects, in addition to the loose files. */
interface ObjectSources {
  caches: RepositoryCaches
  pool: Pool
  packs: PackedObjects
  scratch: Scratch
  /** Maximum size of a blob that is read, in bytes. */
  maxBlobBytes: number
  /** Maximum number of entries in a folder to which a change adds entries. */
  maxFolderEntries: number
  fetchLost: FetchLost
}

/**
 * Fetches a missing object from elsewhere and returns whether it is available now. Nodes fetch from the database.
 * `mayBeNowhere`: the caller only checks whether the object exists.
 */
export type FetchLost = (oid: string, mayBeNowhere?: boolean) => Promise<boolean>

/**
 * Reads the objects of one repository from the caches, from loose files, from packs, from the scratch folder of its
 * merges, and, if necessary, through `git cat-file`. The ID of an object determines its content, so the source does not
 * matter. To check whether the repository itself has an object, use `ObjectWriter`.
 */
export class ObjectDatabase {
  readonly #folder: string
  /** Objects that are being written. Only this process can read them yet. */
  // bound: writes in progress
  readonly pending = new Map<string, { type: ObjectType; object: EncodedObject }>()

  /** Lets other tasks run between two slices, since objects are read synchronously here. */
  readonly #slices = new Slices()
  readonly #packs: PackedObjects
  readonly pool: Pool
  readonly caches: RepositoryCaches
  readonly maxBlobBytes: number
  readonly maxFolderEntries: number
  readonly scratch: Scratch
  readonly fetchLost: FetchLost

  constructor(
    readonly repository: string,
    sources: ObjectSources,
  ) {
    this.#folder = join(repository, 'objects')
    this.#packs = sources.packs
    this.pool = sources.pool
    this.caches = sources.caches
    this.maxBlobBytes = sources.maxBlobBytes
    this.maxFolderEntries = sources.maxFolderEntries
    this.scratch = sources.scratch
    this.fetchLost = sources.fetchLost
  }

  /**
   * Returns the bytes of a blob, which the caller must not change. Throws `MissingObject`, `ObjectTooLarge`.
   * @param once whether the blob is unlikely to be read again soon, so that it need not be cached
   */
  async blob(oid: string, maxBytes = this.maxBlobBytes, once = false): Promise<Buffer> {
    const known = this.caches.blobs.get(oid)
    if (known && known.length > maxBytes) throw new ObjectTooLarge(`object ${oid} is larger than ${maxBytes} bytes`)
    if (known) return known
    const read = await this.#get(oid, 'blob', Math.min(maxBytes, this.maxBlobBytes))
    if (once) return read
    const content = ownBytes(read)
    this.caches.blobs.set(oid, content)
    this.caches.sizes.set(oid, content.length)
    return content
  }

  /** Returns a folder. Throws `MissingObject`. */
  async tree(oid: string): Promise<Tree> {
    if (oid === EMPTY_TREE) return emptyTree
    const known = this.caches.trees.get(oid)
    if (known) return known
    const tree = parseTree(await this.#get(oid, 'tree', MAX_TREE_BYTES))
    this.caches.trees.set(oid, tree)
    return tree
  }

  /** Whether a tree with this ID is cached. */
  knowsTree(id: string): boolean {
    return this.caches.trees.has(id)
  }

  /** Returns a commit if it is cached. */
  knownCommit(id: string): CommitInfo | undefined {
    return this.caches.commits.get(id)
  }

  /** Returns a commit. Throws `MissingObject` if it does not exist. */
  async commit(id: string): Promise<CommitInfo> {
    return this.#commit(id, false)
  }

  async #commit(id: string, mayBeNowhere: boolean): Promise<CommitInfo> {
    const known = this.knownCommit(id)
    if (known) return known
    const commit = parseCommit(asOid(id), await this.#get(id, 'commit', MAX_COMMIT_BYTES, mayBeNowhere))
    this.caches.commits.set(id, commit)
    return commit
  }

  async hasCommit(id: string): Promise<boolean> {
    try {
      await this.#commit(id, true)
      return true
    } catch (error) {
      if (error instanceof MissingObject) return false
      throw error
    }
  }

  /** Returns the type and size, or null if the object does not exist. */
  async info(oid: string): Promise<ObjectInfo | null> {
    const pending = this.pending.get(oid)
    if (pending) return { type: pending.type, size: pending.object.content.length }
    if (!isOid(oid)) return null
    const found = await this.#infoOf(oid)
    const made = found ? null : await this.scratch.find(oid, MAX_OBJECT_BYTES)
    return made ? { type: made.type, size: made.content.length } : found
  }

  /** Returns the sizes of blobs in bytes. Throws `MissingObject`. */
  async sizes(oids: readonly string[]): Promise<number[]> {
    const sizes: number[] = []
    const slices = new Slices()
    for (let at = 0; at < oids.length; at += SIZES_AT_ONCE) {
      sizes.push(...(await Promise.all(oids.slice(at, at + SIZES_AT_ONCE).map((oid) => this.#size(oid)))))
      // Cached sizes never wait, so yield to other tasks here.
      if (slices.due) await slices.rest()
    }
    return sizes
  }

  /** Returns the first of `oids` that cannot be read, or null. New objects of a merge need no check. */
  async findUnreadable(oids: readonly string[]): Promise<string | null> {
    const unreadable: string[] = []
    await inParallel(oids, READS_AT_ONCE, async (oid) => {
      if (this.caches.blobs.has(oid) || (await this.scratch.has(oid))) return
      const found = (await this.#intactLoose(oid)) ?? (await this.#infoOf(oid))
      if (!found) unreadable.push(oid)
    })
    return unreadable[0] ?? null
  }

  async #size(oid: string): Promise<number> {
    const known = this.caches.sizes.get(oid)
    if (known !== undefined) return known
    const info = await this.info(oid)
    if (info?.type !== 'blob') throw new MissingObject(`there is no blob ${oid}`)
    this.caches.sizes.set(oid, info.size)
    return info.size
  }

  async #get(oid: string, type: ObjectType, maxBytes: number, mayBeNowhere = false): Promise<Buffer> {
    const pending = this.pending.get(oid)
    if (pending?.type === type) {
      const { buffer, byteOffset, length } = pending.object.content
      return Buffer.from(buffer, byteOffset, length)
    }
    const found = isOid(oid) ? await this.#find(oid, maxBytes, mayBeNowhere) : null
    if (found?.type !== type) throw new MissingObject(`there is no ${type} ${oid}`)
    return found.content
  }

  /**
   * Finds an object that has to be written again because the repository has lost it or its loose file is damaged. Looks
   * in intact loose files, the scratch folder, packs, and the caches. Throws `LostObject`.
   */
  async recall(oid: string): Promise<{ type: ObjectType; object: EncodedObject }> {
    const again = async (): Promise<RawObject | null> =>
      (await this.fetchLost(oid)) ? ((await this.#packed(oid)) ?? this.#intactLoose(oid)) : null
    const sources = [
      () => this.#intactLoose(oid),
      () => this.scratch.find(oid, MAX_OBJECT_BYTES),
      () => this.#packed(oid),
      () => this.#remembered(oid),
      again,
    ]
    for (const found of sources) {
      const raw = await found()
      const object = raw && encodeObject(raw.type, raw.content)
      if (object?.oid === oid) return { type: required(raw?.type), object }
    }
    throw new LostObject(oid, this.repository)
  }

  async #intactLoose(oid: string): Promise<RawObject | null> {
    try {
      return await findLoose(this.#folder, oid, MAX_OBJECT_BYTES, { verify: true })
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      return null
    }
  }

  async #packed(oid: string): Promise<RawObject | null> {
    return sure(this.#packs.find(oid)) ?? findPacked(this.pool, this.repository, oid, MAX_OBJECT_BYTES)
  }

  async #remembered(oid: string): Promise<RawObject | null> {
    const tree = this.caches.trees.get(oid)
    if (tree) return { type: 'tree', content: tree.content ?? encodeTree(tree.nodes) }
    const blob = this.caches.blobs.get(oid)
    return blob ? { type: 'blob', content: blob } : null
  }

  async #find(oid: string, maxBytes: number, mayBeNowhere: boolean): Promise<RawObject | null> {
    return (
      (await this.#findHere(oid, maxBytes)) ??
      ((await this.fetchLost(oid, mayBeNowhere)) ? this.#findHere(oid, maxBytes) : null)
    )
  }

  /**
   * Searches known packs, loose files, the scratch folder, new packs, and loose files again: a repack may have unpacked
   * the object in between.
   */
  async #findHere(oid: string, maxBytes: number): Promise<RawObject | null> {
    if (this.#slices.due) await this.#slices.rest()
    const packed = within(this.#packs.known(oid), oid, maxBytes)
    const near = packed ?? (await this.#findUndamaged(oid, maxBytes)) ?? (await this.scratch.find(oid, maxBytes))
    if (near) return near
    const found = this.#packs.find(oid)
    const asked = this.#mustAsk(oid, found)
      ? await this.#ask(() => findPacked(this.pool, this.repository, oid, maxBytes))
      : within(found, oid, maxBytes)
    return asked ?? (await findLoose(this.#folder, oid, maxBytes))
  }

  /** Returns the type and size of an object of the repository; null if there is none. */
  async #infoOf(oid: string): Promise<ObjectInfo | null> {
    return (await this.#infoHere(oid)) ?? ((await this.fetchLost(oid)) ? this.#infoHere(oid) : null)
  }

  async #infoHere(oid: string): Promise<ObjectInfo | null> {
    if (this.#slices.due) await this.#slices.rest()
    const near = sure(this.#packs.knownInfo(oid)) ?? this.#looseInfo(oid)
    if (near) return near
    const found = this.#packs.info(oid)
    return this.#mustAsk(oid, found)
      ? this.#ask(() => findInfo(this.pool, this.repository, oid))
      : (sure(found) ?? this.#looseInfo(oid))
  }

  /** Whether Git must search for an object that was not found, or whose loose file is empty or damaged. */
  #mustAsk(oid: string, found: PackLookup<unknown>): boolean {
    return found === 'unsure' || (found === null && existsSync(loosePath(this.#folder, oid)))
  }

  /**
   * Queries Git. Its process reads the list of borrowed repositories only when it starts. So if an object is missing,
   * queries a new process as well.
   */
  async #ask<T>(question: () => Promise<T | null>): Promise<T | null> {
    const answer = await question()
    if (answer !== null || !this.#packs.borrows) return answer
    forgetProcess(this.pool, this.repository)
    return question()
  }

  #looseInfo(oid: string): ObjectInfo | null {
    try {
      return findLooseInfo(this.#folder, oid)
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      return null
    }
  }

  /** Reads a loose object. Ignores a damaged file, because a pack may contain an intact copy. */
  async #findUndamaged(oid: string, maxBytes: number): Promise<RawObject | null> {
    try {
      return await findLoose(this.#folder, oid, maxBytes)
    } catch (error) {
      if (error instanceof ObjectTooLarge || !(error instanceof GitError)) throw error
      return null
    }
  }
}

const sure = <T>(found: PackLookup<T>): T | null => (found === 'unsure' ? null : found)

/** Returns the object of a lookup. Throws `ObjectTooLarge`. */
function within(found: PackLookup<RawObject>, oid: string, maxBytes: number): RawObject | null {
  const object = sure(found)
  if (object && object.content.length > maxBytes)
    throw new ObjectTooLarge(`object ${oid} is larger than ${maxBytes} bytes`)
  return object
}
