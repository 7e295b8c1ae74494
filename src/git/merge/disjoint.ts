/** Merges two sides that changed different files, by taking each side's changes. All other merges are left to Git. */
import { required } from '../../kernel/defined.js'
import { asOid, type CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { GitError } from '../errors.js'
import type { Ancestry } from '../history/ancestry.js'
import type { ObjectDatabase } from '../objects/database.js'
import { type EncodedObject, encodeObject } from '../objects/hash.js'
import { encodeTree, inGitsOrder, makeNode, type Node, type Tree, treeOf } from '../objects/tree-codec.js'
import type { MergeInput, MergeOutcome } from '../types.js'

interface TreeMerge {
  objects: ObjectDatabase
  made: Map<string, { object: EncodedObject; tree: Tree }>
  slices: Slices
}

/**
 * Merges two commits with one merge base whose changes affect different paths, with the same result as Git's strategy
 * `ort` (without `merge.directoryRenames`). Returns null if Git must merge. If one side renamed a file, it is unchanged
 * on the other side; otherwise both sides changed its old path, and Git merges. New trees are stored in the scratch
 * folder, as for every merge.
 */
export async function mergeDisjoint(
  objects: ObjectDatabase,
  ancestry: Ancestry,
  { ours, theirs, base }: MergeInput,
): Promise<MergeOutcome | null> {
  try {
    const bases = base === undefined ? await ancestry.mergeBases(ours, theirs) : [base]
    if (bases.length !== 1) return null
    const rootOf = async (id: CommitId): Promise<Node> => makeNode('', '040000', (await objects.commit(id)).tree)
    const roots = await Promise.all([rootOf(required(bases[0])), rootOf(ours), rootOf(theirs)])
    const work: TreeMerge = { objects, made: new Map(), slices: new Slices() }
    const decided = decide(roots)
    const tree = decided === 'inside' ? await mergeFolder(roots, work) : decided
    if (!tree) return null
    await keep(work)
    return { clean: true, tree: asOid(tree.oid) }
  } catch (error) {
    // Something is unreadable. Git reports or repairs it.
    if (!(error instanceof GitError)) throw error
    return null
  }
}

type Three = [base: Node | undefined, ours: Node | undefined, theirs: Node | undefined]
type Folders = [base: Node, ours: Node, theirs: Node]

/**
 * Returns the merged entry of a name: undefined for none, null if Git must merge, 'inside' if the folders must be
 * merged.
 */
function decide([base, ours, theirs]: Three): Node | undefined | null | 'inside' {
  if (same(base, ours)) return theirs
  if (same(base, theirs)) return ours
  if (!base || !ours || !theirs) return null
  const folders = [base, ours, theirs].filter(isFolder).length
  if (folders === 3) return 'inside'
  // Both sides changed the file in the same way. For a folder, the same change may be part of two different renames.
  return folders === 0 && same(ours, theirs) ? ours : null
}

/** Returns the merged folder; null if Git must merge, also if the folder would be empty. */
async function mergeFolder(folders: Folders, work: TreeMerge): Promise<Node | null> {
  const { objects } = work
  const [base, ours, theirs] = await Promise.all([
    objects.tree(folders[0].oid),
    objects.tree(folders[1].oid),
    objects.tree(folders[2].oid),
  ])
  if (![base, ours, theirs].every(isPlain)) return null
  const nodes: Node[] = []
  for (const name of new Set([...base.byName.keys(), ...ours.byName.keys(), ...theirs.byName.keys()])) {
    if (work.slices.due) await work.slices.rest()
    const three: Three = [base.byName.get(name), ours.byName.get(name), theirs.byName.get(name)]
    const decided = decide(three)
    const node = decided === 'inside' ? await mergeFolder(three as Folders, work) : decided
    if (node === null) return null
    if (node) nodes.push(node)
  }
  if (nodes.length === 0) return null
  const tree = treeOf(inGitsOrder(nodes))
  const object = encodeObject('tree', encodeTree(tree.nodes))
  work.made.set(object.oid, { object, tree })
  return makeNode(folders[0]?.name ?? '', '040000', object.oid)
}

const isFolder = (node: Node | undefined): boolean => node?.mode === '040000'
const same = (a: Node | undefined, b: Node | undefined): boolean => a?.oid === b?.oid && a?.mode === b?.mode

/**
 * Whether Git would write the entries of a tree unchanged: it corrects old modes, and names in memory may represent
 * other bytes.
 */
const isPlain = (tree: Tree): boolean =>
  tree.byName.size === tree.nodes.length &&
  tree.nodes.every(({ rawName, rawMode, mode }) => !rawName && rawMode === (mode === '040000' ? '40000' : mode))

async function keep({ objects, made }: TreeMerge): Promise<void> {
  await objects.scratch.keep([...made.values()].map(({ object }) => ({ type: 'tree', object })))
  for (const [oid, { tree }] of made) objects.caches.trees.set(oid, tree)
}
