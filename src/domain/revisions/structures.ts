/** Returns the structures of revisions: from memory, from the store of earlier starts, or read from the files. */
import { shapedBy } from '../../content/known-files.js'
import { idOf } from '../../content/identity.js'
import { readStructure } from '../../content/structure.js'
import { isSymlink } from '../../content/symlinks.js'
import type { ContentStructure } from '../../content/types.js'
import { noteUnsettled } from '../../content/work/text-work.js'
import { MissingObject, type TreeChange } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { inSlices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'
import { ADOPTED, MAIN } from '../context/refs.js'
import { overridesAt } from './identity.js'
import { SharedWork } from './shared-work.js'
import { ofStructure } from './weights.js'

// bound: the structures that are in memory
const numbers = new WeakMap<ContentStructure, number>()
let given = 0

/** Returns a number that identifies a structure without keeping it in memory. */
export function structureNumber(structure: ContentStructure): number {
  const known = numbers.get(structure)
  if (known !== undefined) return known
  numbers.set(structure, ++given)
  return given
}

/** Maximum number of changed pages whose titles are compared. If more have changed, the structure is read again. */
const MAX_COMPARED_TITLES = 100

/** Computations in progress, shared by readers and read-ahead. */
const pending = new SharedWork<ContentStructure>()

/** The structure at a commit. If only page text changed since its first parent, it is the same object as the parent's. */
export async function structureAt(app: App, space: SpaceRepository, commit: CommitId): Promise<ContentStructure> {
  const key = `${space.doc.id}:${commit}`
  return app.content.structures.get(key) ?? pending.run(app, key, () => buildStructure(app, space, commit, key))
}

async function buildStructure(
  app: App,
  space: SpaceRepository,
  commit: CommitId,
  key: string,
): Promise<ContentStructure> {
  const shared = (await fromParent(app, space, commit)) ?? (await fromStored(app, space, commit))
  if (shared) {
    if (!app.content.structures.has(key)) app.content.structures.set(key, shared)
    return shared
  }
  const adopted = adoptedHead(space)
  let isSettled = true
  const structure = await readStructure(
    await space.repo.objects.snapshot(commit),
    idOf(await overridesAt(app, space, commit)),
    noteUnsettled(app.texts.for(space.doc.id), () => (isSettled = false)),
  )
  const bytes = await inSlices(ofStructure(structure))
  app.content.structures.set(key, structure, bytes)
  // An import reads the structure before it moves main.
  const isCurrent = (): boolean => space.repo.refs.head(MAIN) === commit && adoptedHead(space) === adopted
  if (isSettled) app.storedStructures.store(space.doc.id, { commit, adopted, bytes, structure, isCurrent })
  return structure
}

const adoptedHead = ({ repo }: SpaceRepository): CommitId | null => repo.refs.head(ADOPTED) ?? null

async function fromParent(app: App, space: SpaceRepository, commit: CommitId): Promise<ContentStructure | null> {
  const parent = (await space.repo.objects.commit(commit)).parents[0]
  return parent === undefined || !app.content.structures.has(`${space.doc.id}:${parent}`)
    ? null
    : sharedWith(app, space, commit, parent, await space.repo.trees.diff(parent, commit))
}

/** Returns the structure that was stored for main, if only page text differs from its commit. Otherwise null. */
async function fromStored(app: App, space: SpaceRepository, commit: CommitId): Promise<ContentStructure | null> {
  const { id } = space.doc
  const stored = app.storedStructures.find(id)
  if (!stored || stored.adopted !== adoptedHead(space)) return null
  try {
    const changes = stored.commit === commit ? [] : await space.repo.trees.diff(stored.commit, commit)
    if (!changes.every(isText)) return null
    const key = `${id}:${stored.commit}`
    if (!app.content.structures.has(key)) {
      const structure = await app.storedStructures.read(id, stored)
      if (structure) app.content.structures.set(key, structure, stored.bytes)
    }
    return await sharedWith(app, space, commit, stored.commit, changes)
  } catch (error) {
    // The stored commit may have been removed.
    if (error instanceof MissingObject) return null
    throw error
  }
}

/** Whether only the text of a file changed. A symbolic link may point to another page afterwards. */
const isText = ({ status, before, after }: TreeChange): boolean =>
  status === 'modified' && before?.mode === after?.mode && !(after && isSymlink(after))

/** Returns the cached structure of `other` if the changes between the two commits do not affect it. Otherwise null. */
export async function sharedWith(
  app: App,
  space: SpaceRepository,
  commit: CommitId,
  other: CommitId,
  changes: readonly TreeChange[],
): Promise<ContentStructure | null> {
  const structure = app.content.structures.get(`${space.doc.id}:${other}`)
  if (!structure || !changes.every(isText)) return null
  const titled: TreeChange[] = []
  for (const change of changes) {
    const part = shapedBy(change.path, structure)
    if (part === 'title') titled.push(change)
    else if (part !== null) return null
  }
  if (titled.length > MAX_COMPARED_TITLES || !(await haveSameTitles(app, space, commit, titled))) return null
  const [before, after] = await Promise.all([overridesAt(app, space, other), overridesAt(app, space, commit)])
  return before === after || (before.size === after.size && [...after].every(([key, id]) => before.get(key) === id))
    ? structure
    : null
}

/** Whether the changes leave the titles that pages get from their own headings. */
async function haveSameTitles(
  app: App,
  space: SpaceRepository,
  commit: CommitId,
  changes: readonly TreeChange[],
): Promise<boolean> {
  const oids = changes.flatMap(({ before, after }) => [before, after].flatMap((entry) => entry?.oid ?? []))
  if (oids.length === 0) return true
  // Both versions are objects of the same repository.
  const titles = await app.texts.for(space.doc.id).headings(await space.repo.objects.snapshot(commit), oids)
  return changes.every(({ before, after }) => titles.get(before?.oid ?? '') === titles.get(after?.oid ?? ''))
}
