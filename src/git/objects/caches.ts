import { LRUCache } from 'lru-cache'
import type { CommitInfo } from '../types.js'
import type { Tree } from './tree-codec.js'

const MIB = 1024 * 1024
const SMALL_BLOB = 256 * 1024

/**
 * What was read from objects, for all repositories together: one budget, shared by use. Keys are repository and oid:
 * objects never change, so an entry is right for ever, but only for the repository that holds the object. Sharing
 * entries by oid alone would let the reader of one repository ask for what only another holds.
 * Absence is never cached: a fetch or an admin's push may bring the object.
 */
export interface Caches {
  trees: LRUCache<string, Tree>
  commits: LRUCache<string, CommitInfo>
  blobs: LRUCache<string, Buffer>
  sizes: LRUCache<string, number>
}

export const makeCaches = (): Caches => ({
  trees: new LRUCache({ maxSize: 96 * MIB, sizeCalculation: (tree) => 200 + 250 * tree.nodes.length }),
  commits: new LRUCache({ maxSize: 32 * MIB, sizeCalculation: (commit) => 1000 + 2 * commit.message.length + 2 * JSON.stringify(commit.headers).length }),
  blobs: new LRUCache({ maxSize: 64 * MIB, maxEntrySize: SMALL_BLOB, sizeCalculation: (blob) => 200 + blob.length }),
  sizes: new LRUCache({ max: 200_000 }),
})
