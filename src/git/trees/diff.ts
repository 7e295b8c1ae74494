/** Compares two trees: which files were added, modified or deleted. */
import { Slices, sortInSlices } from '../../kernel/slices.js'
import type { Node, Tree } from '../objects/tree-codec.js'
import { emptyTree } from '../objects/tree-codec.js'
import type { TreeChange } from '../types.js'
import { toEntry } from './snapshot.js'

/** To look at the clock takes longer than to compare two entries. */
const BETWEEN_LOOKS = 64

type ReadTree = (oid: string) => Promise<Tree>

/** How two trees differ, file by file, sorted by path; equal folders are not read. Null = the empty tree. */
export async function diffTrees(
  before: string | null,
  after: string | null,
  readTree: ReadTree,
): Promise<TreeChange[]> {
  const changes: TreeChange[] = []
  if (before !== after) await compare({ before, after, prefix: '' }, readTree, changes, new Slices())
  return sortInSlices(changes, (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

/** Two folders (or whole trees) to be compared. */
interface Pair {
  before: string | null
  after: string | null
  prefix: string
}

/** Awaits only folders: to await each of ten thousand equal files would be most of the work. */
async function compare(
  { before, after, prefix }: Pair,
  readTree: ReadTree,
  into: TreeChange[],
  slices: Slices,
): Promise<void> {
  const [old, now] = await Promise.all([before ? readTree(before) : emptyTree, after ? readTree(after) : emptyTree])
  const folders: Pair[] = []
  let looked = 0
  for (const [name, node] of old.byName) {
    const other = now.byName.get(name)
    // A folder that was edited here has the entries that it had.
    if (node !== other) compareEntry(node, other, prefix + name, into, folders)
    if (++looked % BETWEEN_LOOKS === 0 && slices.due) await slices.rest()
  }
  for (const [name, node] of now.byName) {
    if (!old.byName.has(name)) compareEntry(undefined, node, prefix + name, into, folders)
    if (++looked % BETWEEN_LOOKS === 0 && slices.due) await slices.rest()
  }
  for (const pair of folders) await compare(pair, readTree, into, slices)
}

function compareEntry(
  old: Node | undefined,
  now: Node | undefined,
  path: string,
  into: TreeChange[],
  folders: Pair[],
): void {
  if (old?.oid === now?.oid && old?.mode === now?.mode) return
  const [before, after] = [folderOf(old), folderOf(now)]
  if (before !== after) folders.push({ before, after, prefix: `${path}/` })
  const was = old && !before ? toEntry(path, old) : undefined
  const is = now && !after ? toEntry(path, now) : undefined
  if (was && is) into.push({ status: 'modified', path, before: was, after: is })
  else if (was) into.push({ status: 'deleted', path, before: was })
  else if (is) into.push({ status: 'added', path, after: is })
}

const folderOf = (node: Node | undefined): string | null => (node?.mode === '040000' ? node.oid : null)
