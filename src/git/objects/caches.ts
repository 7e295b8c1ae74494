/**
 * The memory caches of Git objects (trees, commits, small blobs, graphs …), and the estimated sizes of their entries.
 */
import { type BoundedCache, MemoryBudget } from '../../kernel/memory-budget.js'
import type { CommitGraph } from '../history/commit-graph.js'
import type { ReadRefs } from '../refs/packed.js'
import type { CommitInfo } from '../types.js'
import type { RawObject } from './loose.js'
import type { Tree } from './tree-codec.js'

const SMALL_BLOB = 256 * 1024
const DEFAULT_BYTES = 256 * 1024 * 1024

/** One cache as one repository sees it. */
type View<T> = Pick<BoundedCache<T>, 'get' | 'has' | 'set' | 'delete'>

/** The caches as one repository sees them, by object ID. */
export type RepositoryCaches = { readonly [C in Exclude<keyof Caches, 'bases' | 'packedRefs'>]: View<CachedBy<C>> } & {
  readonly bases: Caches['bases']
}
type CachedBy<C extends keyof Caches> = Caches[C] extends BoundedCache<infer T> ? T : never

/**
 * The data read from repositories. All caches share one memory budget. Objects never change, so entries stay valid, but
 * only for their repository: with the object ID alone as the key, a reader of one repository could get objects of
 * another. So repositories get a view (`cachesOf`). Missing objects are never cached, because a fetch or an admin's
 * push may add them.
 */
export interface Caches {
  trees: BoundedCache<Tree>
  commits: BoundedCache<CommitInfo>
  blobs: BoundedCache<Buffer>
  sizes: BoundedCache<number>
  /**
   * Base objects of deltas, by the checksum of their pack and their offset. Only a repository that has the pack can get
   * them.
   */
  bases: BoundedCache<RawObject>
  /**
   * Loose objects that this process wrote or verified, so a power failure cannot have emptied them. They may have been
   * deleted since.
   */
  verified: BoundedCache<true>
  /** Time of the last renewal of a pack's modification time, by pack name, in milliseconds since 1970. */
  packs: BoundedCache<number>
  /** The name of a pack that contains an object, by object. The pack may have been deleted since. */
  packOf: BoundedCache<string>
  /** Commit graphs, one for each repository, by an empty ID. */
  graphs: BoundedCache<CommitGraph>
  /** Packed refs by repository path. */
  packedRefs: BoundedCache<ReadRefs>
}

const charactersOf = ({ headers }: CommitInfo): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0)

// Estimated memory in bytes. test/kernel/estimates.test.ts compares the estimates with the heap.
const treeBytes = ({ nodes, content }: Tree): number =>
  nodes.reduce((sum, { name }) => sum + 220 + name.length, 200 + (content ? 100 + content.length : 0))
const commitBytes = (commit: CommitInfo): number =>
  900 + commit.message.length + charactersOf(commit) + 80 * commit.parents.length
const graphBytes = (graph: CommitGraph): number => 200 + 380 * graph.size

const packedRefsBytes = ({ refs, folders }: ReadRefs): number => {
  let bytes = 200
  for (const name of refs.keys()) bytes += 140 + name.length
  for (const name of folders) bytes += 80 + name.length
  return bytes
}

export const makeCaches = (budget: MemoryBudget = new MemoryBudget(DEFAULT_BYTES)): Caches => ({
  trees: budget.cache({ weigh: treeBytes }),
  commits: budget.cache({ weigh: commitBytes }),
  blobs: budget.cache({ weigh: (blob) => 200 + blob.length, maxEntryBytes: SMALL_BLOB }),
  sizes: budget.cache({ weigh: () => 0 }),
  bases: budget.cache({ weigh: ({ content }) => 300 + content.length, maxEntryBytes: SMALL_BLOB }),
  verified: budget.cache({ weigh: () => 0 }),
  packs: budget.cache({ weigh: () => 0 }),
  packOf: budget.cache({ weigh: () => 0 }),
  graphs: budget.cache({ weigh: graphBytes }),
  packedRefs: budget.cache({ weigh: packedRefsBytes }),
})

/** A part of a cache: the keys with a prefix. */
class PrefixView<T> implements View<T> {
  constructor(
    readonly prefix: string,
    readonly cache: BoundedCache<T>,
  ) {}

  get(key: string): T | undefined {
    return this.cache.get(this.prefix + key)
  }

  has(key: string): boolean {
    return this.cache.has(this.prefix + key)
  }

  set(key: string, value: T): void {
    this.cache.set(this.prefix + key, value)
  }

  delete(key: string): void {
    this.cache.delete(this.prefix + key)
  }
}

/**
 * Returns the caches for one repository.
 * @param opening a number that is unique per opening, so that a repository that is created again under an old name does
 *   not find old entries
 */
export function cachesOf(caches: Caches, opening: number): RepositoryCaches {
  const prefix = `${opening}:`
  return {
    trees: new PrefixView(prefix, caches.trees),
    commits: new PrefixView(prefix, caches.commits),
    blobs: new PrefixView(prefix, caches.blobs),
    sizes: new PrefixView(prefix, caches.sizes),
    verified: new PrefixView(prefix, caches.verified),
    packs: new PrefixView(prefix, caches.packs),
    packOf: new PrefixView(prefix, caches.packOf),
    graphs: new PrefixView(prefix, caches.graphs),
    bases: caches.bases,
  }
}
