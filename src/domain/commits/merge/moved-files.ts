// Finds the files that must be merged by page ID, because Git merges by path.
import { required } from '../../../kernel/defined.js'
import { readConfig } from '../../../content/config.js'
import { type IdOverrides, idOf } from '../../../content/identity.js'
import { keyBelow } from '../../../content/paths.js'
import { kindOfPath } from '../../../content/known-files.js'
import type { TreeChange, TreeEntry } from '../../../git/index.js'
import type { CommitId } from '../../../kernel/ids.js'
import { Slices } from '../../../kernel/slices.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { overridesFrom } from '../../revisions/arriving-identity.js'
import { noOverrides, overridesAt } from '../../revisions/identity.js'

/** A file of the merge base, and its entry on each side; null if that side deleted it. */
export interface MovedFile {
  base: TreeEntry
  ours: TreeEntry | null
  theirs: TreeEntry | null
}

interface Heads {
  base: CommitId
  ours: CommitId
  theirs: CommitId
}

/** The changes of one side since the merge base, with the IDs of its files. */
interface SideChanges {
  /** By path. */
  changes: Map<string, TreeChange>
  identify: (path: string) => string
  /** Whether the file at a path had another path before. */
  cameFromElsewhere: (path: string) => boolean
  /** The changed and added files, by ID. */
  files: Map<string, TreeEntry>
}

/**
 * Returns the files that a merge by path would get wrong. These are files that one side moved and the other side
 * changed, moved or deleted; files that one side deleted and the other side changed, because Git might mistake a new
 * page with similar text for the deleted one; and files that both sides deleted. Files are matched by ID.
 */
export async function movedFiles(app: App, space: SpaceRepository, heads: Heads): Promise<MovedFile[]> {
  const { repo } = space
  const [mine, other] = [await repo.diff(heads.base, heads.ours), await repo.diff(heads.base, heads.theirs)]
  if (!mayHaveMoves(mine, other)) return []
  const was = await idsOf(app, space, heads.base, await overridesAt(app, space, heads.base))
  const [ours, theirs] = [
    await readSide(app, space, heads.base, heads.ours, mine),
    await readSide(app, space, heads.base, heads.theirs, other),
  ]
  const files = new Map(
    [...mine, ...other].flatMap(({ path, before }) => (before && isFile(before) ? [[path, before] as const] : [])),
  )
  const ids = new Map<string, string>()
  const slices = new Slices()
  for (const path of files.keys()) {
    ids.set(path, was(path))
    if (slices.due) await slices.rest()
  }
  const known = new Set(ids.values())
  const found: MovedFile[] = []
  for (const [path, base] of files) {
    const on = (side: SideChanges): TreeEntry | null => fileOnSide(side, base, required(ids.get(path)), known)
    const file = { base, ours: on(ours), theirs: on(theirs) }
    if (needsMergeById(file)) found.push(file)
    if (slices.due) await slices.rest()
  }
  return found
}

const isFile = (entry: TreeEntry): boolean => entry.mode.startsWith('100')

/** Whether a side may have moved a file. A move deletes a file, or changes at least two. */
function mayHaveMoves(mine: readonly TreeChange[], other: readonly TreeChange[]): boolean {
  if (mine.length === 0 || other.length === 0) return false
  const mayMove = (changes: readonly TreeChange[]): boolean =>
    changes.some((change) => change.status === 'deleted') || changes.length > 1
  return mayMove(mine) || mayMove(other)
}

/** Returns one side's entry for the base file with this ID, at any path; null if the side deleted it. */
function fileOnSide(
  { changes, files, identify, cameFromElsewhere }: SideChanges,
  base: TreeEntry,
  id: string,
  known: ReadonlySet<string>,
): TreeEntry | null {
  const change = changes.get(base.path)
  if (!change) return base
  const sameId = files.get(id)
  if (sameId) return sameId
  // A file at the same path counts as the same file, unless it is another file that was moved there.
  const { after } = change
  return after && isFile(after) && !known.has(identify(after.path)) && !cameFromElsewhere(after.path) ? after : null
}

function needsMergeById({ base, ours, theirs }: MovedFile): boolean {
  const moved = (entry: TreeEntry): boolean => entry.path !== base.path
  const changed = (entry: TreeEntry): boolean => moved(entry) || entry.oid !== base.oid || entry.mode !== base.mode
  if (ours && theirs) return (moved(ours) && changed(theirs)) || (moved(theirs) && changed(ours))
  const remaining = ours ?? theirs
  return remaining === null || changed(remaining)
}

/** Reads the changes of one side of a merge from the list of its diff. */
export async function readSide(
  app: App,
  space: SpaceRepository,
  base: CommitId,
  head: CommitId,
  list: readonly TreeChange[],
): Promise<SideChanges> {
  const changes = new Map(list.map((change) => [change.path, change]))
  const identify = await idsOf(app, space, head, await overridesFrom(app, space, base, head))
  const idByPath = await idsOf(app, space, head, noOverrides)
  const files = new Map<string, TreeEntry>()
  const slices = new Slices()
  for (const { after } of list) {
    if (after && isFile(after)) files.set(identify(after.path), after)
    if (slices.due) await slices.rest()
  }
  return { changes, identify, files, cameFromElsewhere: (path) => identify(path) !== idByPath(path) }
}

/** Returns a function from a path in a commit to the ID of its page or file. */
export async function idsOf(
  app: App,
  { doc, repo }: SpaceRepository,
  commit: CommitId,
  overrides: IdOverrides,
): Promise<(path: string) => string> {
  const { root } = (await readConfig(await repo.at(commit), app.texts.for(doc.id))).config
  const identify = idOf(overrides)
  return (path) => identify(kindOfPath(keyBelow(root, path)), keyBelow(root, path))
}
