/**
 * Joins merge bases despite conflicts. A page that the bases have at places which other pages want too must not fall out of the joined base: it would
 * look new on both sides, and a merge would have it twice.
 */
import { type IdOverrides, isDefaultId, overrideKey } from '../../../content/identity.js'
import { kindOfPath } from '../../../content/known-files.js'
import { folderOf, keyBelow, nameOf } from '../../../content/paths.js'
import { readConfig } from '../../../content/config.js'
import type { FileChange, MergeConflict, Repository, TreeEntry } from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { overridesAt } from '../../revisions/identity.js'
import type { MergedTree, Sides } from './merged-tree.js'
import { isTaken } from './merge-by-id.js'
import { idsOf } from './moved-files.js'

/** A tree for a joined merge base, and the IDs, as overrides, of the files that were put into it. */
interface HeldTree {
  tree: TreeId
  ids: ReadonlyMap<string, string>
}

/**
 * The tree of a merge with conflicts. A file that was moved to two paths is at the path of `ours` if both paths are free. A file that has no place
 * left is at a made-up path beside the one that it had, under its ID. What one side deleted and what has conflict markers is left as Git has it.
 */
export async function treeDespiteConflicts(
  app: App,
  space: SpaceRepository,
  sides: Sides,
  merged: MergedTree & { clean: false },
): Promise<HeldTree> {
  const { repo } = space
  const drafted = await repo.draft(merged.tree, [...merged.marked, ...merged.setAside])
  const left = repo.tree(drafted)
  const put = new Map<string, FileChange & { oid: string }>()
  for (const { ours, theirs } of merged.conflicts) {
    if (!ours || !theirs) continue
    const taken = (await isTaken(left, ours.path)) || (await left.entry(theirs.path)) !== null
    if (!taken && !put.has(ours.path)) put.set(ours.path, { path: ours.path, oid: ours.oid, mode: ours.mode })
  }
  const ids = new Map<string, string>()
  const names = await overrideNames(app, space, left)
  for (const { path: wanted, file, id, instead } of await withoutPlace(app, space, sides, {
    conflicts: merged.conflicts,
    left,
    put,
  })) {
    if ([...ids.values()].includes(id)) continue
    const free = !put.has(wanted) && (instead || !(await isTaken(left, wanted)))
    const path = free ? wanted : await freePath(left, wanted)
    put.set(path, { path, oid: file.oid, mode: file.mode })
    ids.set(names(path), id)
  }
  return { tree: await repo.draft(drafted, [...put.values()]), ids }
}

/** Overrides with some IDs set. */
export function withIds(
  overrides: IdOverrides,
  ids: Iterable<readonly [name: string, id: string]>,
): Map<string, string> {
  const set = new Map(overrides)
  for (const [name, id] of ids) {
    if (isDefaultId(name, id)) set.delete(name)
    else set.set(name, id)
  }
  return set
}

type Tree = ReturnType<Repository['tree']>

/** A file that a tree should have. */
interface HomelessFile {
  path: string
  file: TreeEntry
  id: string
  /** Whether it replaces what is at the path. */
  instead: boolean
}

/** The files in conflict that a tree does not have, with the paths that they should have. */
async function withoutPlace(
  app: App,
  space: SpaceRepository,
  sides: Sides,
  {
    conflicts,
    left,
    put,
  }: { conflicts: readonly MergeConflict[]; left: Tree; put: ReadonlyMap<string, { oid: string }> },
): Promise<HomelessFile[]> {
  const identify = { ours: await idsAt(app, space, sides.ours), theirs: await idsAt(app, space, sides.theirs) }
  const oidAt = async (path: string): Promise<string | undefined> => put.get(path)?.oid ?? (await left.entry(path))?.oid
  const found: HomelessFile[] = []
  for (const { kind, path, base, ours, theirs } of conflicts) {
    // A file of their base that one of them deleted stays deleted.
    if (base && !(ours && theirs && identify.ours(ours.path) === identify.theirs(theirs.path))) continue
    const placed = new Set<string>()
    const missing: Omit<HomelessFile, 'instead'>[] = []
    for (const [side, file] of [
      ['ours', ours],
      ['theirs', theirs],
    ] as const) {
      if (!file) continue
      const id = identify[side](file.path)
      if ((await oidAt(file.path)) === file.oid) placed.add(id)
      else missing.push({ path: file.path, file, id })
    }
    // Something else at the path is Git's text with markers, or another page where both moved the file. Of two pages neither has it: one gets the place.
    const marked = placed.size === 0 && kind !== 'rename' && (await left.entry(path)) !== null
    const isOne = missing.every(({ id }) => id === missing[0]?.id)
    if (!marked || !isOne)
      found.push(
        ...missing.filter(({ id }) => !placed.has(id)).map((one, at) => ({ ...one, instead: marked && at === 0 })),
      )
  }
  return found
}

const idsAt = async (app: App, space: SpaceRepository, commit: CommitId): Promise<(path: string) => string> =>
  idsOf(app, space, commit, await overridesAt(app, space, commit))

/** Tells the names of the overrides of a tree's files. */
export async function overrideNames(app: App, { doc }: SpaceRepository, tree: Tree): Promise<(path: string) => string> {
  const { root } = (await readConfig(tree, app.texts.for(doc.id))).config
  return (path) => overrideKey(kindOfPath(keyBelow(root, path)), keyBelow(root, path))
}

/** A made-up path beside one that is taken. */
export async function freePath(tree: Tree, path: string): Promise<string> {
  const folder = folderOf(path)
  for (let n = 1; ; n++) {
    const free = `${folder === '' ? '' : `${folder}/`}held-by-base-${n}-${nameOf(path)}`
    if (!(await isTaken(tree, free))) return free
  }
}
