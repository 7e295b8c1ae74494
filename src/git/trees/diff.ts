import type { Node, Tree } from '../objects/tree-codec.js'
import { emptyTree } from '../objects/tree-codec.js'
import type { TreeChange } from '../types.js'
import { toEntry } from './snapshot.js'

type ReadTree = (oid: string) => Promise<Tree>

/** How two trees differ, file by file, in order of path; equal folders are not opened. Null = the empty tree. */
export async function diffTrees(before: string | null, after: string | null, readTree: ReadTree): Promise<TreeChange[]> {
  const changes: TreeChange[] = []
  if (before !== after) await compare(before, after, '', readTree, changes)
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

async function compare(before: string | null, after: string | null, prefix: string, readTree: ReadTree, into: TreeChange[]): Promise<void> {
  const [old, now] = await Promise.all([before ? readTree(before) : emptyTree, after ? readTree(after) : emptyTree])
  for (const name of new Set([...old.byName.keys(), ...now.byName.keys()])) {
    await compareEntry(old.byName.get(name), now.byName.get(name), prefix + name, readTree, into)
  }
}

async function compareEntry(old: Node | undefined, now: Node | undefined, path: string, readTree: ReadTree, into: TreeChange[]): Promise<void> {
  if (old?.oid === now?.oid && old?.mode === now?.mode) return
  const [oldFolder, nowFolder] = [folderOf(old), folderOf(now)]
  if (oldFolder !== nowFolder) await compare(oldFolder, nowFolder, `${path}/`, readTree, into)
  const before = old && !oldFolder ? toEntry(path, old) : undefined
  const after = now && !nowFolder ? toEntry(path, now) : undefined
  if (before && after) into.push({ status: 'modified', path, before, after })
  else if (before) into.push({ status: 'deleted', path, before })
  else if (after) into.push({ status: 'added', path, after })
}

const folderOf = (node: Node | undefined): string | null => (node?.mode === '040000' ? node.oid : null)
