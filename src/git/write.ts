/** Writes blobs and trees that do not belong to a commit yet. */
import { type BlobId, type TreeId, asOid } from '../kernel/ids.js'
import { MissingObject } from './errors.js'
import type { ObjectDatabase } from './objects/database.js'
import { EMPTY_TREE, encodeObject } from './objects/hash.js'
import type { ObjectWriter } from './objects/writer.js'
import { editTree } from './trees/edit.js'
import { planChanges } from './trees/plan.js'
import type { FileChange } from './types.js'

/** Writes a blob durably. */
export async function writeBlob(objects: ObjectDatabase, writer: ObjectWriter, content: Uint8Array): Promise<BlobId> {
  const blob = encodeObject('blob', content)
  await writer.write([blob])
  objects.caches.sizes.set(blob.oid, content.length)
  return blob.oid
}

/**
 * Returns a tree with changes applied. It is stored in the scratch folder, like the result of a merge, until it is
 * committed. Throws the same errors as `Objects.write`.
 */
export async function draftTree(
  objects: ObjectDatabase,
  base: TreeId,
  changes: readonly FileChange[],
): Promise<TreeId> {
  const plan = planChanges(changes)
  await objects.sizes([...plan.named])
  const edited = await editTree(base, plan, objects)
  await objects.scratch.keep(
    edited.objects.map((object) => ({ type: edited.trees.has(object.oid) ? 'tree' : 'blob', object })),
  )
  return asOid(edited.oid)
}

/** Returns the tree of a commit, or the tree itself. Throws `MissingObject`. */
export async function treeOfId(objects: ObjectDatabase, id: string): Promise<string> {
  if (id === EMPTY_TREE) return id
  const known = objects.knownCommit(id)
  if (known) return known.tree
  // Looking for a commit would search all packs, and then start Git.
  if (objects.knowsTree(id)) return id
  try {
    return (await objects.commit(id)).tree
  } catch (error) {
    if (!(error instanceof MissingObject)) throw error
    await objects.tree(id)
    return id
  }
}
