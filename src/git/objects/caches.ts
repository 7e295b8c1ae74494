/** The memory caches of Git objects (trees, commits, small blobs, graphs …), and estimates of what each entry weighs. */
import { type BoundedCache, MemoryBudget } from '../../kernel/memory-budget.js'
import type { CommitGraph } from '../history/commit-graph.js'
import type { ReadRefs } from '../refs/packed.js'
import type { CommitInfo } from '../types.js'
import type { RawObject } from './loose.js'
import type { Tree } from './tree-codec.js'

const SMALL_BLOB = 256 * 1024
const DEFAULT_BYTES = 256 * 1024 * 1024

/**
 * What was read from repositories; all caches share one memory budget. Keys are repository and object ID. Objects never change,
 * so an entry stays right, but only for its repository: with the object ID alone as the key, a reader of one repository could
 * get at objects that only another one has. Absence is never cached: a fetch or an administrator's push may add the object.
 */
export interface Caches {
  trees: BoundedCache<Tree>
  commits: BoundedCache<CommitInfo>
  blobs: BoundedCache<Buffer>
  sizes: BoundedCache<number>
  /** Objects of packs that others are deltas of, by the checksum of their pack and their offset: only who has the pack gets at them. */
  bases: BoundedCache<RawObject>
  /** Loose objects that this process wrote or verified, so no power cut can have emptied them. They may have been deleted since. */
  verified: BoundedCache<true>
  /** Names of packs → when their modification time was last renewed, in milliseconds since 1970. */
  packs: BoundedCache<number>
  /** Objects → the name of a pack that has it. The pack may have been deleted since. */
  packOf: BoundedCache<string>
  /** A repository's key, without an object ID → its commit graph. */
  graphs: BoundedCache<CommitGraph>
  /** A repository's path → its packed refs. */
  packedRefs: BoundedCache<ReadRefs>
}

const charactersOf = ({ headers }: CommitInfo): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0)

// Estimates of memory, in bytes; test/kernel/estimates.test.ts compares them with the heap.
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
