/** Checks a small fetch without a Git process. It says only that all is well; whatever is not plainly so is left to Git, which also explains it. */
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

/** Larger packs are left to Git, whose process then costs little beside them. */
const MAX_OBJECTS = 500
const MAX_PACK_BYTES = 1024 * 1024
/** Files and folders of larger trees are counted by Git: here, that would keep the main thread busy. */
const MAX_ENTRIES = 5000

/** What the repository had before the fetch. Methods throw `GitError` for what it lacks. */
export interface KnownObjects {
  commit(oid: string): Promise<{ tree: string }>
  tree(oid: string): Promise<Tree>
  /** Bytes of blobs. */
  sizes(oids: readonly string[]): Promise<number[]>
  /** Where bases of deltas are kept. */
  readonly bases: BoundedCache<RawObject>
}

/** Not plainly well: Git has to look. */
class LeftToGit extends GitError {}

/** What is checked here, and against what. */
export interface InspectionHere {
  limits: FetchLimits
  known: KnownObjects
  /** Whether a commit was here before the fetch, with all that it contains; null = it is known that all is there that the head contains. */
  isWhole: ((commit: CommitId) => Promise<boolean>) | null
}

/**
 * Makes the checks of `checkArrived`, `requireCommit`, `checkTree` and `checkConnected` on what was fetched into the Git folder `quarantine`. Returns how
 * many objects arrived; null if Git has to make the checks, because they fail, or the fetch is large or unusual.
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
   * All that the head contains must have arrived, or be in the tree of a commit that was here with all that it contains. That something is there, as Git
   * has checked, does not say that what it refers to is there too.
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

  /** Adds a tree that was here before, with all that is in it. */
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

  /** Type and size of all that arrived: no blob may be too large. */
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
      if (info === null || info === 'unsure') throw new LeftToGit(`${oid} cannot be read here`)
      if (info.type === 'blob' && info.size > this.limits.maxBlobBytes) throw new LeftToGit(`${oid} is too large`)
      this.#arrived.set(oid, info)
    }
  }

  /** The content of an object that arrived. */
  #content(oid: string, type: 'commit' | 'tree'): Buffer {
    const found = this.#packs.known(oid)
    if (found === null || found === 'unsure' || found.type !== type)
      throw new LeftToGit(`${oid} is not a ${type} that arrived`)
    return found.content
  }

  #tree(oid: string): Promise<Tree> | Tree {
    return this.#arrived.has(oid) ? parseTree(this.#content(oid, 'tree')) : this.known.tree(oid)
  }

  /** The tree of the folder that the limits apply to; null if there is none. */
  async #folderIn(root: string): Promise<string | null> {
    let tree = root
    for (const name of (this.limits.directory ?? '').split('/').filter((part) => part !== '')) {
      const node = (await this.#tree(tree)).byName.get(name)
      if (node?.mode !== '040000') return null
      tree = node.oid
    }
    return tree
  }

  /** Counts files and folders, and asks for the sizes of files that did not arrive now. */
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
