import type { BlobId, CommitId } from '../kernel/ids.js'
import { MissingObject } from './errors.js'
import { encodeCommit } from './objects/commit-codec.js'
import type { ObjectDatabase } from './objects/database.js'
import { EMPTY_TREE, encodeObject } from './objects/hash.js'
import { inParallel } from './objects/disk.js'
import type { ObjectWriter } from './objects/writer.js'
import { editTree } from './trees/edit.js'
import { objectsBeyond } from './trees/new-objects.js'
import { planChanges } from './trees/plan.js'
import type { WriteInput } from './types.js'

/**
 * Makes a commit and all that it needs, durably. A tree that is given (a merge's, an old revision's) may have been
 * written without a sync, or long ago and named by nothing: what it has beyond the parents is synced and its time renewed.
 */
export async function writeCommit(objects: ObjectDatabase, writer: ObjectWriter, input: WriteInput): Promise<CommitId> {
  const plan = planChanges(input.changes)
  const parents = await Promise.all(input.parents.map((id) => objects.commit(id)))
  const readTree = (oid: string) => objects.tree(oid)
  const base = input.tree ?? parents[0]?.tree ?? EMPTY_TREE
  await inParallel([...plan.named], 8, (oid) => mustBeBlob(objects, oid))
  const edited = await editTree(base, plan, readTree)
  const kept = new Set(plan.named)
  if (input.tree !== undefined) {
    const trees = parents.map((parent) => parent.tree)
    for (const oid of await objectsBeyond(input.tree, trees, readTree)) kept.add(oid)
    kept.delete(EMPTY_TREE)
  }
  const commit = encodeObject('commit', encodeCommit({ ...input, tree: edited.oid }))
  await Promise.all([writer.write([...edited.objects, commit]), writer.keep([...kept])])
  for (const [oid, tree] of edited.trees) objects.caches.trees.set(objects.cacheKey + oid, tree)
  return commit.oid as CommitId
}

async function mustBeBlob(objects: ObjectDatabase, oid: string): Promise<void> {
  if (objects.caches.sizes.has(objects.cacheKey + oid)) return
  await objects.sizes([oid])
}

/** Makes a durable blob. */
export async function writeBlob(objects: ObjectDatabase, writer: ObjectWriter, content: Uint8Array): Promise<BlobId> {
  const blob = encodeObject('blob', content)
  await writer.write([blob])
  objects.caches.sizes.set(objects.cacheKey + blob.oid, content.length)
  return blob.oid as BlobId
}

/** The tree that a commit's or a tree's oid names. Throws `MissingObject`. */
export async function treeOfId(objects: ObjectDatabase, id: string): Promise<string> {
  if (id === EMPTY_TREE) return id
  const known = objects.knownCommit(id)
  if (known) return known.tree
  try {
    return (await objects.commit(id)).tree
  } catch (error) {
    if (!(error instanceof MissingObject)) throw error
    await objects.tree(id)
    return id
  }
}
