/** Lists the objects of a new tree that the trees from which it was made do not have. */
import { Slices } from '../../kernel/slices.js'
import type { Tree } from '../objects/tree-codec.js'

type ReadTree = (oid: string) => Promise<Tree>

/** The state of a search: the objects so far, and the time, since cached trees are read without a pause. */
interface Search {
  readTree: ReadTree
  found: Set<string>
  slices: Slices
}

/**
 * Returns the objects of a tree that no tree in `known` has at the same path: the objects that a commit of it may add.
 */
export async function objectsBeyond(
  tree: string,
  known: readonly string[],
  readTree: ReadTree,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  await collect(tree, known, { readTree, found, slices: new Slices() })
  return found
}

async function collect(oid: string, known: readonly string[], search: Search): Promise<void> {
  const { readTree, found, slices } = search
  if (known.includes(oid) || found.has(oid)) return
  found.add(oid)
  const others = await Promise.all([...new Set(known)].map(readTree))
  for (const node of (await readTree(oid)).nodes) {
    if (slices.due) await slices.rest()
    const there = others.map((other) => other.byName.get(node.name)).filter((other) => other !== undefined)
    if (node.mode === '040000') {
      const folders = there.filter((other) => other.mode === '040000').map((other) => other.oid)
      await collect(node.oid, folders, search)
    } else if (node.mode !== '160000' && !there.some((other) => other.oid === node.oid)) found.add(node.oid)
  }
}
