/** Lists the files of the source or the result at a revision, with their IDs. */
import { entryOfFile, idOf, type IdOverrides } from '../../content/identity.js'
import type { Snapshot, TreeEntry } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { overridesAt } from '../revisions/identity.js'
import { structureAt } from '../revisions/structures.js'

export interface SpaceFile extends TreeEntry {
  id: string
  /** Whether it is translated: a page, reusable content, or the table of contents. */
  isText: boolean
}

/** The files of a revision. */
export interface FilesAt {
  commit: CommitId
  snapshot: Snapshot
  overrides: IdOverrides
  root: string
  byId: Map<string, SpaceFile>
  byPath: Map<string, SpaceFile>
}

/** Lists the files of a space at a commit. Submodules are omitted. */
export async function filesAt(app: App, space: LoadedSpace, commit: CommitId): Promise<FilesAt> {
  const [snapshot, structure, overrides] = [
    await space.repo.objects.snapshot(commit),
    await structureAt(app, space, commit),
    await overridesAt(app, space, commit),
  ]
  const { root, summary } = structure.config
  const texts = new Set([
    ...structure.byGitPath.keys(),
    ...structure.reusableContents.map(({ gitPath }) => gitPath),
    ...(structure.listed ? [summary] : []),
  ])
  const id = idOf(overrides)
  const found: FilesAt = { commit, snapshot, overrides, root, byId: new Map(), byPath: new Map() }
  const slices = new Slices()
  for (const entry of await snapshot.walk()) {
    if (slices.due) await slices.rest()
    if (entry.mode === '160000') continue
    const { kind, key } = entryOfFile(root, entry.path)
    const file = { ...entry, id: id(kind, key), isText: texts.has(entry.path) && entry.mode !== '120000' }
    if (!found.byId.has(file.id)) found.byId.set(file.id, file)
    found.byPath.set(entry.path, file)
  }
  return found
}
