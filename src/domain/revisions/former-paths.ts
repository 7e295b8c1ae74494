/** Finds pages by the paths that they had before they were moved or renamed. */
import { idOf } from '../../content/identity.js'
import { keyBelow } from '../../content/paths.js'
import { foldPath } from '../../content/site-path.js'
import type { ContentStructure, PageEntry } from '../../content/types.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import { overridesAt } from './identity.js'
import { openBoth, type OpenRevision } from './revisions.js'
import { SharedWork } from './shared-work.js'

/** Maximum number of commits that are searched for moves, and of page trees that are compared. */
const MAX_COMMITS = 500
const MAX_TREES = 40
/** Maximum number of former paths per space. */
const MAX_PATHS = 20_000

/** Computations in progress. */
const pending = new SharedWork<ReadonlyMap<string, string>>()

/**
 * Returns the page that had a path in an earlier revision. It searches the newest moves, and the first path of each
 * page, from which its ID is derived.
 */
export async function findFormerPage(app: App, revision: OpenRevision, path: string): Promise<PageEntry | null> {
  const { structure, snapshot, space } = revision
  const key = `${space.doc.id}:${snapshot.commit}`
  const former =
    app.content.formerPaths.get(key) ?? (await pending.run(app, key, () => formerPaths(app, revision, key)))
  const id = former.get(foldPath(path)) ?? (await firstIdAt(app, revision, path.replace(/\.html?$/i, '')))
  return (id === undefined ? undefined : structure.byId.get(id)) ?? null
}

/** Returns the ID of the page that was created at a path. Undefined if the file still exists. */
async function firstIdAt(
  app: App,
  { structure, snapshot, space }: OpenRevision,
  path: string,
): Promise<string | undefined> {
  const identify = idOf(await overridesAt(app, space, snapshot.commit))
  const { root } = structure.config
  for (const key of [`${path}.md`, `${path}/README.md`]) {
    const file = root === '' ? key : `${root}/${key}`
    const id = identify('page', keyBelow(root, file))
    if (structure.byId.has(id) && (await snapshot.entry(file)) === null) return id
  }
  return undefined
}

/** Compares the page trees from the newest to the oldest. If pages had the same path, the newest of them counts. */
async function formerPaths(
  app: App,
  { structure, snapshot, space }: OpenRevision,
  key: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const slices = new Slices()
  const add = async (paths: Iterable<readonly [string, string]>): Promise<void> => {
    for (const [path, id] of paths) {
      if (slices.due) await slices.rest()
      const isFree = !structure.byPath.has(path) && !found.has(foldPath(path)) && found.size < MAX_PATHS
      if (isFree && structure.byId.has(id)) found.set(foldPath(path), id)
    }
  }
  let at: CommitId = snapshot.commit
  for (let commits = 0, trees = 0; commits < MAX_COMMITS && trees < MAX_TREES; commits++) {
    const parent = (await space.repo.objects.commit(at)).parents[0]
    if (parent === undefined) break
    const { before, after } = await openBoth(app, space, parent, at)
    if (before.structure !== after.structure) {
      trees++
      await add(pathsOf(before.structure))
    }
    const known = app.content.formerPaths.get(`${space.doc.id}:${parent}`)
    if (known) {
      await add(known)
      break
    }
    at = parent
  }
  app.content.formerPaths.set(key, found)
  return found
}

function* pathsOf({ byPath }: ContentStructure): Generator<readonly [string, string]> {
  for (const [path, { id, type }] of byPath) if (type === 'document') yield [path, id]
}
