/**
 * Builds a virtual merge base from merge bases that conflict. If the bases have a page at paths that other pages use
 * too, the virtual base must still contain that page. Otherwise it would look new on both sides, and the merge would
 * contain it twice.
 */
import { entryOfOverride, type IdOverrides, OverrideDraft } from '../../../content/identity.js'
import { folderOf, nameOf } from '../../../content/paths.js'
import { readConfig } from '../../../content/config.js'
import type { FileChange, MergeConflict, Repository, TreeEntry } from '../../../git/index.js'
import type { TreeId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import type { MergedTree, Sides } from './merged-tree.js'
import { isTaken } from './merge-by-id.js'
import { openSide, overrideName } from './side.js'

/** The tree of a virtual merge base, and the ID overrides of the files that were added to it. */
interface VirtualTree {
  tree: TreeId
  ids: ReadonlyMap<string, string>
}

/**
 * Returns the tree of a merge with conflicts. A file that was moved to two paths gets the path in `ours` if both paths
 * are free. A file without a free path gets a generated path in the same folder and keeps its ID. Files that one side
 * deleted, and files with conflict markers, stay as Git merged them.
 */
export async function treeDespiteConflicts(
  app: App,
  space: SpaceRepository,
  sides: Sides,
  merged: MergedTree & { clean: false },
): Promise<VirtualTree> {
  const { repo } = space
  const drafted = await repo.trees.draft(merged.tree, [...merged.marked, ...merged.setAside])
  const left = repo.objects.tree(drafted)
  const put = new Map<string, FileChange & { oid: string }>()
  for (const { ours, theirs } of merged.conflicts) {
    if (!ours || !theirs) continue
    const taken = (await isTaken(left, ours.path)) || (await left.entry(theirs.path)) !== null
    if (!taken && !put.has(ours.path)) put.set(ours.path, { path: ours.path, oid: ours.oid, mode: ours.mode })
  }
  const ids = new Map<string, string>()
  const { config } = await readConfig(left, app.texts.for(space.doc.id))
  for (const { path: intended, file, id, instead } of await missingFiles(app, space, sides, {
    conflicts: merged.conflicts,
    left,
    put,
  })) {
    if ([...ids.values()].includes(id)) continue
    const free = !put.has(intended) && (instead || !(await isTaken(left, intended)))
    const path = free ? intended : await freePath(left, intended)
    put.set(path, { path, oid: file.oid, mode: file.mode })
    ids.set(overrideName(config, path), id)
  }
  return { tree: await repo.trees.draft(drafted, [...put.values()]), ids }
}

/** Returns a copy of the overrides in which the given entries have these IDs. Former entries lose them. */
export function withIds(overrides: IdOverrides, ids: Iterable<readonly [name: string, id: string]>): IdOverrides {
  const draft = new OverrideDraft(overrides)
  for (const [name, id] of ids) draft.give(entryOfOverride(name), id)
  return draft.overrides
}

type Tree = ReturnType<Repository['objects']['tree']>

/** A file that is missing from a tree. */
interface MissingFile {
  path: string
  file: TreeEntry
  id: string
  /** Whether the file replaces the entry at its path. */
  instead: boolean
}

/** Returns the files in conflict that are missing from the tree, with their intended paths. */
async function missingFiles(
  app: App,
  space: SpaceRepository,
  sides: Sides,
  {
    conflicts,
    left,
    put,
  }: { conflicts: readonly MergeConflict[]; left: Tree; put: ReadonlyMap<string, { oid: string }> },
): Promise<MissingFile[]> {
  const identify = {
    ours: await (await openSide(app, space, sides.ours)).ids(),
    theirs: await (await openSide(app, space, sides.theirs)).ids(),
  }
  const oidAt = async (path: string): Promise<string | undefined> => put.get(path)?.oid ?? (await left.entry(path))?.oid
  const found: MissingFile[] = []
  for (const { kind, path, base, ours, theirs } of conflicts) {
    // A file of the merge base that one side deleted stays deleted.
    if (base && !(ours && theirs && identify.ours(ours.path) === identify.theirs(theirs.path))) continue
    const placed = new Set<string>()
    const missing: Omit<MissingFile, 'instead'>[] = []
    for (const [side, file] of [
      ['ours', ours],
      ['theirs', theirs],
    ] as const) {
      if (!file) continue
      const id = identify[side](file.path)
      if ((await oidAt(file.path)) === file.oid) placed.add(id)
      else missing.push({ path: file.path, file, id })
    }
    // An entry at the path is Git's text with markers or, for a rename conflict, another page. If two different pages
    // conflict at the path, the first one replaces Git's text.
    const marked = placed.size === 0 && kind !== 'rename' && (await left.entry(path)) !== null
    const isOne = missing.every(({ id }) => id === missing[0]?.id)
    if (!marked || !isOne)
      found.push(
        ...missing.filter(({ id }) => !placed.has(id)).map((one, at) => ({ ...one, instead: marked && at === 0 })),
      )
  }
  return found
}

/** Returns an unused path in the folder of a path that is taken. */
export async function freePath(tree: Tree, path: string): Promise<string> {
  const folder = folderOf(path)
  for (let n = 1; ; n++) {
    const free = `${folder === '' ? '' : `${folder}/`}held-by-base-${n}-${nameOf(path)}`
    if (!(await isTaken(tree, free))) return free
  }
}
