import { readConfig } from '../../../content/config.js'
import { type IdOverrides, idOf } from '../../../content/identity.js'
import { keyBelow } from '../../../content/paths.js'
import { kindOfPath } from '../../../content/known-files.js'
import type { Repository, TreeChange, TreeEntry } from '../../../git/index.js'
import type { CommitId } from '../../../kernel/ids.js'
import { Slices } from '../../../kernel/slices.js'
import type { App } from '../../context/app.js'
import { overridesFrom } from '../../revisions/arriving-identity.js'
import { overridesAt } from '../../revisions/identity.js'

/** A file of the base, and where each side has it now; null = deleted there. */
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

/** One side as the merge sees it: what it changed, and its files' IDs. */
interface Side {
  changes: Map<string, TreeChange>
  identify: (path: string) => string
  /** Files that it changed or added, by ID. */
  places: Map<string, TreeEntry>
}

/**
 * The files that a merge by path would tear apart or mix up: moved by one side and changed, moved or deleted by the other; deleted
 * by one and changed by the other (Git might take a new page of similar text for it); deleted by both. Known by their IDs.
 */
export async function movedFiles(app: App, space: string, repo: Repository, heads: Heads): Promise<MovedFile[]> {
  const [mine, other] = [await repo.diff(heads.base, heads.ours), await repo.diff(heads.base, heads.theirs)]
  if (!mayTear(mine, other)) return []
  const was = await idsOf(app, space, repo, heads.base, await overridesAt(app, space, repo, heads.base))
  const [ours, theirs] = [await readSide(app, space, repo, heads.base, heads.ours, mine), await readSide(app, space, repo, heads.base, heads.theirs, other)]
  const files = new Map([...mine, ...other].flatMap(({ path, before }) => (before && isFile(before) ? [[path, before] as const] : [])))
  const ids = new Map<string, string>()
  const slices = new Slices()
  for (const path of files.keys()) {
    ids.set(path, was(path))
    if (slices.due) await slices.rest()
  }
  const known = new Set(ids.values())
  const found: MovedFile[] = []
  for (const [path, base] of files) {
    const at = (side: Side): TreeEntry | null => whereIs(side, base, ids.get(path) as string, known)
    const file = { base, ours: at(ours), theirs: at(theirs) }
    if (isTorn(file)) found.push(file)
    if (slices.due) await slices.rest()
  }
  return found
}

const isFile = (entry: TreeEntry): boolean => entry.mode.startsWith('100')

/** Only a file that a side has no more at its path, or has another one there, can have moved. */
function mayTear(mine: readonly TreeChange[], other: readonly TreeChange[]): boolean {
  if (mine.length === 0 || other.length === 0) return false
  const came = (changes: readonly TreeChange[]): boolean => changes.some((change) => change.status === 'deleted') || changes.length > 1
  return came(mine) || came(other)
}

function whereIs({ changes, places, identify }: Side, base: TreeEntry, id: string, known: ReadonlySet<string>): TreeEntry | null {
  const change = changes.get(base.path)
  if (!change) return base
  const there = places.get(id)
  if (there) return there
  // What stands at its path is taken for it, unless that is another file of the base.
  const { after } = change
  return after && isFile(after) && !known.has(identify(after.path)) ? after : null
}

function isTorn({ base, ours, theirs }: MovedFile): boolean {
  const moved = (entry: TreeEntry): boolean => entry.path !== base.path
  const changed = (entry: TreeEntry): boolean => moved(entry) || entry.oid !== base.oid || entry.mode !== base.mode
  if (ours && theirs) return (moved(ours) && changed(theirs)) || (moved(theirs) && changed(ours))
  const living = ours ?? theirs
  return living === null || changed(living)
}

async function readSide(app: App, space: string, repo: Repository, base: CommitId, head: CommitId, list: readonly TreeChange[]): Promise<Side> {
  const changes = new Map(list.map((change) => [change.path, change]))
  const identify = await idsOf(app, space, repo, head, await overridesFrom(app, space, repo, base, head))
  const places = new Map<string, TreeEntry>()
  const slices = new Slices()
  for (const { after } of list) {
    if (after && isFile(after)) places.set(identify(after.path), after)
    if (slices.due) await slices.rest()
  }
  return { changes, identify, places }
}

async function idsOf(app: App, space: string, repo: Repository, commit: CommitId, overrides: IdOverrides): Promise<(path: string) => string> {
  const { root } = (await readConfig(await repo.at(commit), app.texts.for(space))).config
  const identify = idOf(overrides)
  return (path) => identify(kindOfPath(keyBelow(root, path)), keyBelow(root, path))
}
