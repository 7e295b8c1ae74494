// Groups file changes by folder, and rejects contradicting ones.
import { required } from '../../kernel/defined.js'
import { InvalidPath } from '../errors.js'
import { type EncodedObject, encodeObject } from '../objects/hash.js'
import { makeNode, type Node } from '../objects/tree-codec.js'
import type { FileChange } from '../types.js'
import { splitPath } from './path.js'

/**
 * The changes in one folder. A name may be in both maps: for example, the old entry is deleted and a new folder is
 * created.
 */
export interface FolderPlan {
  /** The new entries; null = delete the entry and everything in it. */
  entries: Map<string, Node | null>
  folders: Map<string, FolderPlan>
}

export interface Plan {
  root: FolderPlan
  /** New blobs by object ID. */
  blobs: Map<string, EncodedObject>
  /** Existing blobs that the changes refer to. */
  named: Set<string>
}

const emptyPlan = (): FolderPlan => ({ entries: new Map(), folders: new Map() })

/** Groups changes by folder. The later of two changes to the same path wins. Throws `InvalidPath`. */
export function planChanges(changes: readonly FileChange[]): Plan {
  const plan: Plan = { root: emptyPlan(), blobs: new Map(), named: new Set() }
  for (const change of changes) {
    const segments = splitPath(change.path)
    const name = required(segments.pop())
    let folder = plan.root
    for (const segment of segments) {
      const inside = folder.folders.get(segment) ?? emptyPlan()
      folder.folders.set(segment, inside)
      folder = inside
    }
    folder.entries.set(name, 'delete' in change ? null : entryOf(name, change, plan))
  }
  return plan
}

function entryOf(name: string, change: Exclude<FileChange, { delete: true }>, plan: Plan): Node {
  if ('tree' in change) return makeNode(name, '040000', change.tree)
  const mode = change.mode ?? '100644'
  // A submodule is copied as it is elsewhere, since its commit is in another repository.
  if ('oid' in change && mode === '160000') return makeNode(name, mode, change.oid)
  if (mode === '040000' || mode === '160000') throw new InvalidPath(change.path, 'only a file can be put at a path')
  if ('oid' in change) {
    plan.named.add(change.oid)
    return makeNode(name, mode, change.oid)
  }
  const blob = encodeObject('blob', change.content)
  plan.blobs.set(blob.oid, blob)
  return makeNode(name, mode, blob.oid)
}
