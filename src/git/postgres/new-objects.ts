/** Finds the objects that the database needs before refs may name new commits. */
import { MissingObject } from '../errors.js'
import type { CommitInfo } from '../objects/types.js'
import type { ObjectDatabase } from '../objects/database.js'
import { EMPTY_TREE, type EncodedObject, encodeObject } from '../objects/hash.js'
import { objectsBeyond } from '../trees/new-objects.js'

/** Limits for finding and packing objects in this process. Beyond them, Git does it. */
const MAX_COMMITS = 64
const MAX_OBJECTS = 2000
const MAX_BYTES = 8 * 1024 * 1024

/** New objects, and the commits among them. */
export interface NewObjects {
  commits: string[]
  objects: EncodedObject[]
}

/**
 * Returns the objects in the histories of `tips` that are missing, given everything that `isPublished` accepts. The
 * result may contain additional objects. Returns null if there are too many, or a tip is not a commit. Throws
 * `MissingObject`, `LostObject`.
 */
export async function findNewObjects(
  database: ObjectDatabase,
  tips: readonly string[],
  isPublished: (commit: string) => boolean,
): Promise<NewObjects | null> {
  const commits = await newCommits(database, tips, isPublished)
  if (commits === null) return null
  const readTree = (oid: string) => database.tree(oid)
  const found = new Set<string>()
  for (const { id, tree, parents } of commits.values()) {
    const known = await Promise.all(
      parents.map(async (parent) => (commits.get(parent) ?? (await database.commit(parent))).tree),
    )
    found.add(id)
    for (const oid of await objectsBeyond(tree, known, readTree)) found.add(oid)
    if (found.size > MAX_OBJECTS) return null
  }
  const objects: EncodedObject[] = []
  let bytes = 0
  for (const oid of found) {
    // Git knows the empty tree without an object, so it may never have been written. But `git fsck` requires the
    // object.
    const object = oid === EMPTY_TREE ? encodeObject('tree', Buffer.alloc(0)) : (await database.recall(oid)).object
    objects.push(object)
    bytes += object.content.length
    if (bytes > MAX_BYTES) return null
  }
  return { commits: [...commits.keys()], objects }
}

async function newCommits(
  database: ObjectDatabase,
  tips: readonly string[],
  isPublished: (commit: string) => boolean,
): Promise<Map<string, CommitInfo> | null> {
  const found = new Map<string, CommitInfo>()
  const queue = new Set(tips)
  for (const id of queue) {
    if (isPublished(id)) continue
    if (found.size === MAX_COMMITS) return null
    try {
      const commit = await database.commit(id)
      found.set(id, commit)
      for (const parent of commit.parents) queue.add(parent)
    } catch (error) {
      // For example, a tag that an admin created. Git finds the objects that belong to it, and reports missing ones.
      if (error instanceof MissingObject) return null
      throw error
    }
  }
  return found
}
