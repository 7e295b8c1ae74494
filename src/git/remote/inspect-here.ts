/**
 * Checks a small fetch without a Git process. It can only approve a fetch. Any other case is left to Git, which also
 * explains errors.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { GitError } from '../errors.js'
import { parseCommit } from '../objects/parse-commit.js'
import type { ObjectInfo, RawObject } from '../objects/loose.js'
import { parseTree, type Tree } from '../objects/tree-codec.js'
import { OpenPacks } from '../packs/open-packs.js'
import { PackedObjects } from '../packs/packed-objects.js'
import type { BoundedCache } from '../../kernel/memory-budget.js'
import type { FetchLimits } from '../types.js'

/** Larger packs are left to Git: its process then costs comparatively little. */
const MAX_OBJECTS = 500
const MAX_PACK_BYTES = 1024 * 1024
/** Larger trees are left to Git, since counting their files and folders here would block the main thread. */
const MAX_ENTRIES = 5000

/** The objects of the repository before the fetch. Methods throw `GitError` for missing objects. */
export interface KnownObjects {
  commit(oid: string): Promise<{ tree: string }>
  tree(oid: string): Promise<Tree>
  /** Returns the sizes of blobs in bytes. */
  sizes(oids: readonly string[]): Promise<number[]>
  /** The cache for bases of deltas. */
  readonly bases: BoundedCache<RawObject>
}

/** Thrown for content that is not clearly valid. Git must check it. */
class LeftToGit extends GitError {}

/** The parameters of the checks in this process. */
export interface InspectionHere {
  limits: FetchLimits
  known: KnownObjects
  /** Whether a commit was complete before the fetch; null = everything that the head needs is known to exist. */
  isWhole: ((commit: CommitId) => Promise<boolean>) | null
}

/**
 * Runs the checks of `checkArrived`, `requireCommit`, `checkTree` and `checkConnected` on the objects in the Git folder
 * `quarantine`. Returns the number of received objects. Returns null if Git must run the checks, because they fail, or
 * the fetch is large or unusual.
 */
export async function inspectHere(
  quarantine: string,
  head: CommitId,
  { limits, known, isWhole }: InspectionHere,
): Promise<number | null> {
  const open = new OpenPacks()
  try {
    const arrival = new SmallArrival(quarantine, open, limits, known)
    const objects = await arrival.check(head)
    if (isWhole) await arrival.checkConnected(head, isWhole)
    return objects
  } catch (error) {
    if (error instanceof GitError) return null
    throw error
  } finally {
    open.close()
  }
}

class SmallArrival {
  readonly #packs: PackedObjects
  readonly #slices = new Slices()
  // bound: MAX_OBJECTS
  readonly #arrived = new Map<string, ObjectInfo>()
  #entries = 0

  constructor(
    readonly folder: string,
    readonly open: OpenPacks,
    readonly limits: FetchLimits,
    readonly known: KnownObjects,
  ) {
    this.#packs = new PackedObjects(folder, open, known.bases)
  }

  async check(head: CommitId): Promise<number> {
    await this.#readPack()
    const commit = this.#content(head, 'commit')
    const root = await this.#folderIn(parseCommit(head, commit).tree)
    if (root !== null) await this.#checkTree(root)
    return this.#arrived.size
  }

  /**
   * Checks that everything in the head has arrived, or is in the tree of a commit that was complete before. An existing
   * object, as checked by Git, does not guarantee that the objects exist to which it refers.
   */
  async checkConnected(head: CommitId, isWhole: (commit: CommitId) => Promise<boolean>): Promise<void> {
    const there = new Set<string>()
    const roots: string[] = []
    const commits = new Set([head])
    for (const oid of commits) {
      const { tree, parents } = parseCommit(oid, this.#content(oid, 'commit'))
      roots.push(tree)
      for (const parent of parents) {
        if (this.#arrived.has(parent)) commits.add(parent)
        else if (await isWhole(parent)) await this.#addTree((await this.known.commit(parent)).tree, there)
        else throw new LeftToGit(`${parent} may be here in part`)
      }
    }
    for (let oid = roots.pop(); oid !== undefined; oid = roots.pop()) {
      if (there.has(oid)) continue
      const info = this.#arrived.get(oid)
      if (info === undefined) throw new LeftToGit(`${oid} may be here in part`)
      there.add(oid)
      if (info.type !== 'tree') continue
      for (const node of parseTree(this.#content(oid, 'tree')).nodes) if (node.mode !== '160000') roots.push(node.oid)
    }
  }

  /** Adds an existing tree with everything in it. */
  async #addTree(root: string, there: Set<string>): Promise<void> {
    const folders = [root]
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (this.#slices.due) await this.#slices.rest()
      if (there.has(folder)) continue
      there.add(folder)
      for (const { mode, oid } of (await this.known.tree(folder)).nodes) {
        if (mode === '040000') folders.push(oid)
        else there.add(oid)
      }
      if (there.size > MAX_ENTRIES) throw new LeftToGit('many files and folders')
    }
  }

  /** Reads type and size of all received objects: no blob may be too large. */
  async #readPack(): Promise<void> {
    const packs = join(this.folder, 'objects/pack')
    const [index, ...more] = (await readdir(packs)).filter((file) => file.endsWith('.idx'))
    if (index === undefined || more.length > 0) throw new LeftToGit('not one pack')
    const path = join(packs, index.slice(0, -'.idx'.length))
    if ((await stat(`${path}.pack`)).size > MAX_PACK_BYTES) throw new LeftToGit('a large pack')
    const names = this.open.get(path).names(MAX_OBJECTS)
    if (names === null) throw new LeftToGit('many objects')
    for (const oid of names) {
      if (this.#slices.due) await this.#slices.rest()
      const info = this.#packs.info(oid)
      if (this.limits.removed?.has(oid)) throw new LeftToGit(`${oid} was removed`)
      if (info === null || info === 'unsure') throw new LeftToGit(`${oid} cannot be read here`)
      if (info.type === 'blob' && info.size > this.limits.maxBlobBytes) throw new LeftToGit(`${oid} is too large`)
      this.#arrived.set(oid, info)
    }
  }

  /** Returns the content of a received object. */
  #content(oid: string, type: 'commit' | 'tree'): Buffer {
    const found = this.#packs.known(oid)
    if (found === null || found === 'unsure' || found.type !== type)
      throw new LeftToGit(`${oid} is not a ${type} that arrived`)
    return found.content
  }

  #tree(oid: string): Promise<Tree> | Tree {
    return this.#arrived.has(oid) ? parseTree(this.#content(oid, 'tree')) : this.known.tree(oid)
  }

  /** Returns the tree of the folder to which the limits apply; null if there is none. */
  async #folderIn(root: string): Promise<string | null> {
    let tree = root
    for (const name of (this.limits.directory ?? '').split('/').filter((part) => part !== '')) {
      const node = (await this.#tree(tree)).byName.get(name)
      if (node?.mode !== '040000') return null
      tree = node.oid
    }
    return tree
  }

  /** Counts files and folders, and checks the sizes of files that were not received now. */
  async #checkTree(root: string): Promise<void> {
    const before = new Set<string>()
    const folders = [root]
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (this.#slices.due) await this.#slices.rest()
      const { nodes } = await this.#tree(folder)
      this.#entries += nodes.length
      if (this.#entries > Math.min(this.limits.maxEntries, MAX_ENTRIES)) throw new LeftToGit('many files and folders')
      if (nodes.length > (this.limits.maxFolderEntries ?? MAX_ENTRIES)) throw new LeftToGit('a large folder')
      for (const { mode, oid } of nodes) {
        if (mode === '040000') folders.push(oid)
        else if (mode !== '160000' && !this.#arrived.has(oid)) before.add(oid)
      }
    }
    const sizes = await this.known.sizes([...before])
    if (sizes.some((size) => size > this.limits.maxBlobBytes)) throw new LeftToGit('a file is too large')
  }
}
