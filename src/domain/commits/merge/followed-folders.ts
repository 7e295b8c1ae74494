/**
 * Moves files that one side added to a folder that the other side moved. This applies to two kinds of folders: the
 * effective root, because pages at its old path are no longer shown, and a folder whose name changed only in case,
 * because some file systems cannot have both spellings.
 */
import { ASSETS_FOLDER, INCLUDES_FOLDER } from '../../../content/known-files.js'
import { folderOf, isBelow, isHidden, isMarkdown, keyBelow } from '../../../content/paths.js'
import { readConfig } from '../../../content/config.js'
import { caseKey, type FileChange, type Repository, type TreeChange, type TreeEntry } from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'
import { Slices } from '../../../kernel/slices.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import type { Sides } from './merged-tree.js'
import { type FileMerge, isTaken } from './merge-by-id.js'
import { changesOf } from './moved-files.js'
import { type OpenSides, openSide } from './side.js'

/** Returns the path of the merged table of contents: from the side that changed it. */
export const mergedSummary = ({ base, ours, theirs }: OpenSides): string =>
  (ours.config.summary === base.config.summary ? theirs : ours).config.summary

/** Moved files: old path → new path. */
type Moves = Map<string, string>

/**
 * Returns the merge with the added files at their new paths, and the list of these moves. If another file has the new
 * path, that is a conflict. If the root moved away from the top of the repository, files that are not content
 * (`package.json`, `.github/`) stay.
 */
export async function withFollowers(
  repo: Repository,
  heads: OpenSides,
  merge: FileMerge,
): Promise<{ merge: FileMerge; moves: Moves }> {
  const moves = await followersOf(repo, heads)
  return moves.size === 0 ? { merge, moves } : { merge: await moved(repo, heads, merge, moves), moves }
}

/** Returns the files that one side added to a folder that the other side moved. */
async function followersOf(repo: Repository, heads: OpenSides): Promise<Moves> {
  const moves: Moves = new Map()
  const [mine, other] = await changesOf(repo, heads)
  for (const [added, mover, from] of [
    [mine, other, 'ours'],
    [other, mine, 'theirs'],
  ] as const) {
    const placed = placesOf(
      heads.base.config.root,
      heads[from === 'ours' ? 'theirs' : 'ours'].config.root,
      heads[from].config.root,
      mover,
    )
    if (placed === null) continue
    const slices = new Slices()
    for (const { path, status } of added) {
      const to = status === 'added' ? placed(path) : path
      if (to !== path) moves.set(path, to)
      if (slices.due) await slices.rest()
    }
  }
  return moves
}

/**
 * Returns the changes to `tree`, which contains a merge of two commits that plain Git made: the files that
 * `withFollowers` would have moved. A file whose new path is taken is not moved.
 */
export async function followersOfPlainMerge(
  app: App,
  space: SpaceRepository,
  { ours, theirs }: Pick<Sides, 'ours' | 'theirs'>,
  tree: TreeId,
): Promise<FileChange[]> {
  const { repo } = space
  const base = await repo.history.mergeBase(ours, theirs)
  if (base === null) return []
  const open = (commit: CommitId) => openSide(app, space, commit)
  const heads = { base: await open(base), ours: await open(ours), theirs: await open(theirs) }
  const moves = await followersOf(repo, heads)
  if (moves.size === 0) return []
  const merged = repo.objects.tree(tree)
  const { root } = (await readConfig(merged, app.texts.for(space.doc.id))).config
  const mover = heads.ours.config.root === heads.base.config.root ? heads.theirs : heads.ours
  // The root has moved since, for example back.
  if (root !== mover.config.root) return []
  const changes: FileChange[] = []
  for (const [path, to] of moves) {
    const entry = await merged.entry(path)
    if (!entry || entry.mode === '040000' || (await isTaken(merged, to))) continue
    changes.push({ path, delete: true }, fileAt(to, entry))
  }
  return changes
}

/**
 * Returns a function from the path of a file that one side added to its path in the merge, based on the other side's
 * changes (`mover`). Returns null if the other side moved no folder.
 */
function placesOf(
  was: string,
  root: string,
  adderRoot: string,
  mover: readonly TreeChange[],
): ((path: string) => string) | null {
  const spelled = respelledFolders(mover)
  const rootMoved = root !== was && adderRoot === was
  if (!rootMoved && spelled.size === 0) return null
  const left = foldersOf(mover, 'deleted')
  const added = foldersByKey(mover)
  /** The other side may have changed the case of a folder's name and moved the root. */
  const inSpelling = (path: string): string => {
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) {
      const now = added.get(caseKey(folder))
      if (now !== undefined) return now + path.slice(folder.length)
    }
    return path
  }
  const leaves = (path: string): boolean =>
    isBelow(was, path) &&
    !(root !== '' && isBelow(root, path)) &&
    isContent(keyBelow(was, path), was !== '' || inSome(left, path))
  return (path) => {
    if (rootMoved && leaves(path))
      return inSpelling(root === '' ? keyBelow(was, path) : `${root}/${keyBelow(was, path)}`)
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) {
      const now = spelled.get(folder)
      if (now !== undefined) return now + path.slice(folder.length)
    }
    return path
  }
}

/** The extensions of files that pages embed. */
const MEDIA = /\.(png|jpe?g|gif|svg|webp|avif|pdf|mp4|webm|mp3)$/i

/** Whether an added file belongs to the content. `near`: whether it is in a folder with content. */
const isContent = (key: string, near: boolean): boolean =>
  key.startsWith(ASSETS_FOLDER) ||
  key.startsWith(INCLUDES_FOLDER) ||
  (!isHidden(key) && (near || isMarkdown(key) || MEDIA.test(key)))

function inSome(folders: ReadonlySet<string>, path: string): boolean {
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) if (folders.has(folder)) return true
  return false
}

/** Returns the folders of the files with this status, except the top of the repository. */
function foldersOf(changes: readonly TreeChange[], status: TreeChange['status']): Set<string> {
  const found = new Set<string>()
  for (const change of changes)
    if (change.status === status)
      for (let folder = folderOf(change.path); folder !== '' && !found.has(folder); folder = folderOf(folder))
        found.add(folder)
  return found
}

/** Returns the folders of the added files by case key. */
const foldersByKey = (changes: readonly TreeChange[]): Map<string, string> =>
  new Map([...foldersOf(changes, 'added')].map((folder) => [caseKey(folder), folder]))

/** Returns the folders whose names changed only in case (or Unicode composition): old path → new path. */
function respelledFolders(changes: readonly TreeChange[]): Moves {
  const now = foldersByKey(changes)
  const moves: Moves = new Map()
  for (const folder of now.size === 0 ? [] : foldersOf(changes, 'deleted')) {
    const other = now.get(caseKey(folder))
    if (other !== undefined && other !== folder) moves.set(folder, other)
  }
  return moves
}

/** Moves files in the result of a merge. Adds a conflict for each new path that another file has. */
async function moved(repo: Repository, heads: OpenSides, merge: FileMerge, moves: Moves): Promise<FileMerge> {
  const drafted = repo.objects.tree(await repo.trees.draft(merge.tree, merge.setAside))
  const [ours, theirs] = [heads.ours.snapshot, heads.theirs.snapshot]
  const result: FileMerge = { ...merge, setAside: [...merge.setAside], conflicts: [...merge.conflicts] }
  const taken = new Set<string>()
  for (const [path, to] of moves) {
    const conflict = result.conflicts.find((one) => one.path === path)
    const entry = await drafted.entry(path)
    if (conflict || entry === null || entry.mode === '040000') {
      moves.delete(path)
      continue
    }
    result.setAside = result.setAside.filter((change) => change.path !== path)
    if ((await repo.objects.tree(merge.tree).entry(path)) !== null) result.setAside.push({ path, delete: true })
    const there = await drafted.entry(to)
    if (there === null && !taken.has(to) && !(await isTaken(drafted, to))) result.setAside.push(fileAt(to, entry))
    else if (there?.oid !== entry.oid)
      result.conflicts.push({
        path: to,
        kind: 'add/add',
        ...present('ours', (await ours.entry(path)) ?? there, to),
        ...present('theirs', (await theirs.entry(path)) ?? there, to),
      })
    taken.add(to)
  }
  return result
}

const fileAt = (path: string, { oid, mode }: TreeEntry): FileChange => ({ path, oid, mode })

const present = (side: 'ours' | 'theirs', entry: TreeEntry | null, path: string) =>
  entry && entry.mode !== '040000' ? { [side]: { ...entry, path } } : {}
