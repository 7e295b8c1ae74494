// Finds the files that must be merged by page ID, because Git merges by path.
import { required } from '../../../kernel/defined.js'
import type { Repository, TreeChange, TreeEntry } from '../../../git/index.js'
import { Slices } from '../../../kernel/slices.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { overridesFrom } from '../../revisions/arriving-identity.js'
import { noOverrides } from '../../revisions/identity.js'
import type { Identify, OpenSides, Side } from './side.js'

/** A file of the merge base, and its entry on each side; null if that side deleted it. */
export interface MovedFile {
  base: TreeEntry
  ours: TreeEntry | null
  theirs: TreeEntry | null
}

/** The changes of one side since the merge base, with the IDs of its files. */
interface SideChanges {
  /** By path. */
  changes: Map<string, TreeChange>
  identify: Identify
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
export async function movedFiles(app: App, space: SpaceRepository, heads: OpenSides): Promise<MovedFile[]> {
  const [mine, other] = await changesOf(space.repo, heads)
  if (!mayHaveMoves(mine, other)) return []
  const was = await heads.base.ids()
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

/** Returns the changes of both sides since the merge base. */
export const changesOf = async (
  repo: Repository,
  { base, ours, theirs }: OpenSides,
): Promise<[ours: TreeChange[], theirs: TreeChange[]]> => [
  await repo.trees.diff(base.commit, ours.commit),
  await repo.trees.diff(base.commit, theirs.commit),
]

/** Reads the changes of one side of a merge from the list of its diff. */
export async function readSide(
  app: App,
  space: SpaceRepository,
  base: Side,
  head: Side,
  list: readonly TreeChange[],
): Promise<SideChanges> {
  const changes = new Map(list.map((change) => [change.path, change]))
  const identify = head.identify(await overridesFrom(app, space, base.commit, head.commit))
  const idByPath = head.identify(noOverrides)
  const files = new Map<string, TreeEntry>()
  const slices = new Slices()
  for (const { after } of list) {
    if (after && isFile(after)) files.set(identify(after.path), after)
    if (slices.due) await slices.rest()
  }
  return { changes, identify, files, cameFromElsewhere: (path) => identify(path) !== idByPath(path) }
}
