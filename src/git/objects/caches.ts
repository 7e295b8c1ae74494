import { type BoundedCache, MemoryBudget } from '../../kernel/memory-budget.js'
import type { Parents } from '../history/parents.js'
import type { ReadRefs } from '../refs/packed.js'
import type { CommitInfo } from '../types.js'
import type { Tree } from './tree-codec.js'

const SMALL_BLOB = 256 * 1024
const DEFAULT_BYTES = 256 * 1024 * 1024

/**
 * What was read from objects, for all repositories together: one budget, shared by use. Keys are repository and oid:
 * objects never change, so an entry is right for ever, but only for the repository that holds the object. Sharing
 * entries by oid alone would let the reader of one repository ask for what only another holds.
 * Absence is never cached: a fetch or an admin's push may bring the object.
 */
export interface Caches {
  trees: BoundedCache<Tree>
  commits: BoundedCache<CommitInfo>
  blobs: BoundedCache<Buffer>
  sizes: BoundedCache<number>
  /** Written or verified by this process: a power cut cannot have emptied them. Not that they are still there. */
  sound: BoundedCache<true>
  /** Names of packs → when they were last dated anew, in milliseconds. */
  packs: BoundedCache<number>
  /** A repository's key alone → the parents of its commits. */
  parents: BoundedCache<Parents>
  /** A repository's path → its packed refs. */
  packedRefs: BoundedCache<ReadRefs>
}

/** Characters in all headers of a commit. */
const charactersOf = ({ headers }: CommitInfo): number => Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0)

export const treeBytes = (tree: Tree): number => tree.nodes.reduce((sum, { name }) => sum + 220 + name.length, 200)
export const commitBytes = (commit: CommitInfo): number => 900 + commit.message.length + charactersOf(commit) + 80 * commit.parents.length
export const parentsBytes = (parents: Parents): number => 200 + 380 * parents.size

export const packedRefsBytes = ({ refs }: ReadRefs): number => {
  let bytes = 200
  for (const name of refs.keys()) bytes += 140 + name.length
  return bytes
}

export const makeCaches = (budget: MemoryBudget = new MemoryBudget(DEFAULT_BYTES)): Caches => ({
  trees: budget.cache({ weigh: treeBytes }),
  commits: budget.cache({ weigh: commitBytes }),
  blobs: budget.cache({ weigh: (blob) => 200 + blob.length, maxEntryBytes: SMALL_BLOB }),
  sizes: budget.cache({ weigh: () => 0 }),
  sound: budget.cache({ weigh: () => 0 }),
  packs: budget.cache({ weigh: () => 0 }),
  parents: budget.cache({ weigh: parentsBytes }),
  packedRefs: budget.cache({ weigh: packedRefsBytes }),
})
