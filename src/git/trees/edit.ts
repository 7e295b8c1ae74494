// Applies file changes to a tree.
import { FolderTooLarge, InvalidPath, PathCollision } from '../errors.js'
import { EMPTY_TREE, type EncodedObject, encodeObject } from '../objects/hash.js'
import { emptyTree, encodeTree, inGitsOrder, makeNode, type Node, type Tree, treeOf } from '../objects/tree-codec.js'
import { caseKey } from './path.js'
import type { FolderPlan, Plan } from './plan.js'

/** A tree after its changes, and the objects that must be written for it. */
interface EditedTree {
  oid: string
  /** The new trees and the new blobs in them. */
  objects: EncodedObject[]
  /** The new trees by object ID. */
  trees: Map<string, Tree>
}

/** The source of trees, and the limit for folders that grow: an `ObjectDatabase`. */
interface Trees {
  tree(oid: string): Promise<Tree>
  readonly maxFolderEntries: number
}

interface TreeEdit {
  source: Trees
  blobs: Map<string, EncodedObject>
  objects: Map<string, EncodedObject>
  trees: Map<string, Tree>
}

/**
 * Applies a plan to a tree: deletions first, then additions. Reads and rebuilds only the affected folders. A folder
 * without entries disappears. Throws `InvalidPath` if a path is both a file and a folder, and `PathCollision` if a new
 * name differs from another one in its folder only by case (existing names are not compared). Throws `FolderTooLarge` if
 * a folder grows beyond its bound.
 */
export async function editTree(base: string, plan: Plan, source: Trees): Promise<EditedTree> {
  const work: TreeEdit = { source, blobs: plan.blobs, objects: new Map(), trees: new Map() }
  const oid = (await editFolder(base, plan.root, '', work)) ?? store(work, emptyTree, [])
  return { oid, objects: [...work.objects.values()], trees: work.trees }
}

function store(work: TreeEdit, before: Tree, nodes: readonly Node[], byName?: ReadonlyMap<string, Node>): string {
  const content = encodeTree(nodes, before)
  const object = encodeObject('tree', content)
  work.objects.set(object.oid, object)
  work.trees.set(object.oid, treeOf(nodes, content, byName))
  return object.oid
}

async function editFolder(base: string, plan: FolderPlan, prefix: string, work: TreeEdit): Promise<string | null> {
  const before = await work.source.tree(base)
  const nodes = new Map(before.byName)
  if (nodes.size !== before.nodes.length) throw new InvalidPath(prefix, 'the folder has two entries with the same name')
  for (const [name, entry] of plan.entries) if (entry === null) nodes.delete(name)
  for (const [name, inside] of plan.folders) await editInside(nodes, name, inside, `${prefix}${name}`, work)
  for (const [name, entry] of plan.entries) if (entry) putEntry(nodes, entry, `${prefix}${name}`, work)
  if (nodes.size === 0) return null
  const { maxFolderEntries } = work.source
  if (nodes.size > maxFolderEntries && nodes.size > before.nodes.length)
    throw new FolderTooLarge(prefix.slice(0, -1), maxFolderEntries)
  const changed = new Set([...plan.folders.keys(), ...plan.entries.keys()])
  const added = [...changed].flatMap((name) => nodes.get(name) ?? []).filter((node) => isNew(node, before))
  mustNotCollide(nodes, added, before, prefix)
  const deleted = [...plan.entries.values()].includes(null)
  // Entries that were deleted and added again are at the end of the map, like new ones.
  const inOrder = added.length === 0 && !deleted
  const after = inOrder ? [...nodes.values()] : inGitsOrder([...nodes.values()])
  if (sameNodes(after, before.nodes)) return base
  return inOrder ? store(work, before, after, nodes) : store(work, before, after)
}

async function editInside(
  nodes: Map<string, Node>,
  name: string,
  plan: FolderPlan,
  path: string,
  work: TreeEdit,
): Promise<void> {
  const existing = nodes.get(name)
  if (existing && existing.mode !== '040000') {
    if (puts(plan)) throw new InvalidPath(path, 'it is a file')
    return
  }
  const oid = await editFolder(existing?.oid ?? EMPTY_TREE, plan, `${path}/`, work)
  if (oid === null) nodes.delete(name)
  else if (oid !== existing?.oid) nodes.set(name, existing ? { ...existing, oid } : makeNode(name, '040000', oid))
}

function putEntry(nodes: Map<string, Node>, entry: Node, path: string, work: TreeEdit): void {
  const existing = nodes.get(entry.name)
  if (existing?.mode === '040000' && entry.mode !== '040000') throw new InvalidPath(path, 'it is a folder')
  if (existing?.oid === entry.oid && existing.mode === entry.mode) return
  nodes.set(entry.name, existing?.rawName ? { ...entry, rawName: existing.rawName } : entry)
  const blob = work.blobs.get(entry.oid)
  if (blob) work.objects.set(entry.oid, blob)
}

const puts = (plan: FolderPlan): boolean =>
  [...plan.entries.values()].some((entry) => entry !== null) || [...plan.folders.values()].some(puts)

/**
 * Whether an entry must be sorted into its place: it is new, or changed between folder and file, which sort
 * differently.
 */
function isNew(node: Node, before: Tree): boolean {
  const old = before.byName.get(node.name)
  return !old || (old.mode === '040000') !== (node.mode === '040000')
}

function mustNotCollide(nodes: ReadonlyMap<string, Node>, added: readonly Node[], before: Tree, prefix: string): void {
  const fresh = added.filter((node) => !before.byName.has(node.name))
  if (fresh.length === 0) return
  const names = new Map<string, string>()
  for (const name of nodes.keys()) if (before.byName.has(name)) names.set(caseKey(name), name)
  for (const { name } of fresh) {
    const other = names.get(caseKey(name))
    if (other !== undefined) throw new PathCollision(prefix + name, prefix + other)
    names.set(caseKey(name), name)
  }
}

const sameNodes = (a: readonly Node[], b: readonly Node[]): boolean =>
  a.length === b.length &&
  a.every(
    (node, i) => node === b[i] || (node.oid === b[i]?.oid && node.mode === b[i]?.mode && node.name === b[i]?.name),
  )
