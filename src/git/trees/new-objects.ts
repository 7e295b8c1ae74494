/** Lists the objects of a new tree that the trees from which it was made do not have. */
import type { Tree } from '../objects/tree-codec.js'

type ReadTree = (oid: string) => Promise<Tree>

/**
 * Returns the objects of a tree that no tree in `known` has at the same path: the objects that a commit of it may add.
 */
export async function objectsBeyond(tree: string, known: readonly string[], readTree: ReadTree): Promise<string[]> {
  const found = new Set<string>()
  await collect(tree, known, readTree, found)
  return [...found]
}

async function collect(oid: string, known: readonly string[], readTree: ReadTree, into: Set<string>): Promise<void> {
  if (known.includes(oid) || into.has(oid)) return
  into.add(oid)
  const others = await Promise.all([...new Set(known)].map(readTree))
  for (const node of (await readTree(oid)).nodes) {
    const there = others.map((other) => other.byName.get(node.name)).filter((other) => other !== undefined)
    if (node.mode === '040000') {
      const folders = there.filter((other) => other.mode === '040000').map((other) => other.oid)
      await collect(node.oid, folders, readTree, into)
    } else if (node.mode !== '160000' && !there.some((other) => other.oid === node.oid)) into.add(node.oid)
  }
}
