import { collections, grants, type Role, type SpaceDoc, spaces } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { Viewer } from './access.js'
import { rolesOf } from './roles-of-list.js'

type Space = Document<SpaceDoc>

/** The spaces of one organization, loaded once, to be asked for many people: who sees how many. */
export interface SpaceAccess {
  /** The spaces that somebody may see, with his role. */
  visibleTo(viewer: Viewer): Promise<{ space: Space; role: Role }[]>
  /** How many `visibleTo` would answer. Costs grow with what was given to him, hardly with the organization. */
  countFor(viewer: Viewer): Promise<number>
  /** How many spaces a principal (`team:<id>`) was given a role on, itself or through a collection. */
  countGranted(principal: string): Promise<number>
}

export async function loadSpaceAccess(reader: Reader, organization: string): Promise<SpaceAccess> {
  const docs = (await reader.find(spaces, 'organization', organization)).filter((doc) => doc.deletedAt === undefined)
  const parents = new Map((await reader.find(collections, 'organization', organization)).map(({ id, parent }) => [id, parent]))
  const roles = (viewer: Viewer, list: readonly Space[]): Promise<(Role | null)[]> => rolesOf(reader, viewer, 'space', list)
  const below = once(async () => spacesBelow(docs, parents))
  const byDefault = once(() => seenByDefault(docs, roles))
  const granted = async (principals: Iterable<string>): Promise<Set<Space>> => {
    const found = new Set<Space>()
    for (const principal of principals)
      for (const { target } of await reader.find(grants, 'principal', principal)) for (const space of (await below()).get(target) ?? []) found.add(space)
    return found
  }
  return {
    async visibleTo(viewer) {
      const his = await roles(viewer, docs)
      return docs.flatMap((space, index) => {
        const role = his[index] ?? null
        return role === null ? [] : [{ space, role }]
      })
    },
    async countFor(viewer) {
      if (viewer.member === undefined) return 0
      if (viewer.member === 'admin') return docs.length
      const usual = viewer.member === null ? new Set<Space>() : await byDefault()
      const special = [...(await granted(viewer.principals))]
      const seen = (await roles(viewer, special)).filter((role) => role !== null).length
      return usual.size - special.filter((space) => usual.has(space)).length + seen
    },
    countGranted: async (principal) => (await granted([principal])).size,
  }
}

/**
 * What a member without a role given by name or team sees: it does not depend on how great his own role is, nor differ
 * between spaces of one collection, level and visibility, of which one is asked for.
 */
async function seenByDefault(docs: readonly Space[], roles: (viewer: Viewer, list: readonly Space[]) => Promise<(Role | null)[]>): Promise<Set<Space>> {
  const alike = new Map<string, Space[]>()
  for (const space of docs) {
    const key = `${space.parent ?? ''} ${space.defaultLevel} ${space.visibility}`
    const group = alike.get(key)
    if (group) group.push(space)
    else alike.set(key, [space])
  }
  const groups = [...alike.values()]
  const seen = await roles(
    { user: '', member: 'read', principals: new Set() },
    groups.map(([first]) => first as Space),
  )
  return new Set(groups.filter((_, index) => seen[index] !== null).flat())
}

/** Target of a grant → the spaces that it reaches. */
function spacesBelow(docs: readonly Space[], parents: ReadonlyMap<string, string | undefined>): Map<string, Space[]> {
  const below = new Map<string, Space[]>()
  const add = (target: string, space: Space): void => void (below.get(target)?.push(space) ?? below.set(target, [space]))
  for (const space of docs) {
    add(`space:${space.id}`, space)
    for (let at = space.parent; at !== undefined; at = parents.get(at)) add(`collection:${at}`, space)
  }
  return below
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
